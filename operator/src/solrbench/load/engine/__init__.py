"""The load engine: sends requests in an asyncio event loop of its own, knows nothing of Locust.

- `engine`: one step run after another; `step_run`: the one under way, with its users
- `placeholder_user_class`: a closed loop: sends, waits for the response, thinks, sends again
- `open_loop`: sends arrivals when they are due, over the connections of `pooled_client`;
  `precise_timer` wakes it in time
- `http_client`: one request after another over a connection
- `http_connection`: HTTP/1.1 over `timestamped_socket`, whose kernel reports when bytes arrived
- `response_batch`: responses that arrive together: next requests first, then validation
- `response_validation`: is a response valid?
- `resource_usage`, `cgroups`: CPU time of the worker, and what held it back
- `target`: from the plan to prepared requests and nodes
"""
