"""Batches posted to the leaders of the shards.

- `prefetch`: the bridge from the blocking reader to the event loop
- `leader_resolver`: the leaders of the shards, looked up again when one changes
- `sender`: batches posted with retries
- `update_response`: what the response to an update says of it
"""
