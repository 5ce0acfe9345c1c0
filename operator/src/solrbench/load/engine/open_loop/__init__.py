"""The open loop: requests are sent when they are due, however long responses take.

- `sender`: sends what is due and counts what ends
- `arrival_times`: when the next request is due; `precise_timer` wakes the sender in time
- `node_sender`: the requests of one node; `arrival_recorder` counts them
- `client_pool`: which connections are free, which are being opened, how many there may be;
  `pooled_client`: one of them
- `arrival_queue`: requests that are due and wait for a connection
"""
