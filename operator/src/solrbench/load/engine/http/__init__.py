"""HTTP/1.1 of the load engine: one request after another over a connection.

- `http_client`: sends, times out, connects again; what follows a response is left to its users
- `request_deadline`: the timeout of one request after another, by one timer
- `http_connection`: bytes to responses
- `timestamped_socket`: carries the bytes; its kernel notes when they came
- `response_batch`: responses that arrive together: next requests first, then validation
"""
