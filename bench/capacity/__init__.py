"""Searches for a capacity that is known.

- `search`: of requests per second, on simulated servers of `queue_model` and on a real one
- `user_search`: of users

"""
