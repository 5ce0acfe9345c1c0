"""The load engine: sends requests in an asyncio event loop of its own, knows nothing of Locust.

- `engine`: one step run after another; `step_run`: the one under way, through its `step_run_state`s
- `request_supply`: what is left to send; `measurement`: what is counted
- `user_factory`, `user_group`: the users of a step run; `user_context`: what they share
- `virtual_user`: a closed loop: sends, waits for the response, thinks, sends again
- `open_loop`: requests that are sent when they are due
- `http`: one request after another over a connection
- `response_validation`: is a response valid?
- `resource_usage`, `cgroups`: CPU time of the worker, and what held it back
- `target`: from the plan to prepared requests and nodes
"""
