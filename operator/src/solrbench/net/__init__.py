"""Requests with a limit on bytes and on time, whatever the other side does.

- `addresses`: both families of them
- `bounded_http`: one HTTP request, its response read up to a limit
- `four_letter_words`: one word to a ZooKeeper server, and its response
- `deadline_transport`: connections whose every wait ends at the request's deadline
- `name_lookup`: host names resolved within a time-out
- `pooled_client`: clients for several requests at once, each response read up to a limit
"""
