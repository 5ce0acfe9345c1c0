"""The load: Locust's master and workers coordinate, our own asyncio engine sends the requests.

`master` and `worker` are processes that gevent patches before anything else is imported; `engine`
runs in an event loop of its own and knows neither gevent nor Locust.
"""
