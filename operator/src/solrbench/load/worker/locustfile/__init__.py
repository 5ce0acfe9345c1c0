"""The user's locustfile in place of the engine.

- `loader`: the file and its user classes
- `engine`: its users, one step run after another
- `step_run`: the one under way
- `request_event`: details of a request from Locust's event
"""
