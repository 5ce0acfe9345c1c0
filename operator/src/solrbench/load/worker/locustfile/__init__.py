"""The user's locustfile in place of the engine.

- `loader`: the file and its user classes
- `engine`: its users, one step run after another
- `step_run`: the one under way; `user_group`: its users
- `event_recorder`: counts their requests; `request_event`: what is known of a slow one
"""
