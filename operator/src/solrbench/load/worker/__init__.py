"""A load worker: a Locust worker that runs the engine, or the user's locustfile.

- `worker`: the process and its messages
- `engine_thread`: the engine in a native thread, beside gevent
- `locustfile`: users of a custom locustfile instead of the engine
- `locust_stats`: the engine's numbers in Locust's statistics
"""
