"""How Locust itself is used; master and worker share it.

- `setup`: Locust's intervals and limits
- `stats_limit`: how much the statistics behind its page may grow
- `load_shape`: how many users, changed when a step requires it
- `users_dispatcher`: which user runs on which worker
- `user_parts`: users start and stop in parts, so that heartbeats go on
- `placeholder_user`: a Locust user without tasks, as the engine sends the requests
"""
