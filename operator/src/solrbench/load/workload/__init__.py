"""What is sent: the workload of the spec as prepared requests.

- `loader`: the whole workload, read from its files
- `request_mix`: its entries as sources of requests, drawn from by a step run
- `query_file`, `generated_queries`: the list of queries, from a file or the vocabulary
- `line_file`: lines that stay on disk
- `prepared_request`: a request whose bytes are ready
- `http_requests`: queries as prepared requests, nodes as their constant parts
- `url_encoding`: parameters in URLs and forms
- `updates`: documents as requests, made when they are taken
- `transactions`, `transaction_state`: requests that pass values on, one by one
- `templates`, `extraction`: values put into requests and taken from responses
- `ordering`: which query comes next, from seeds
- `name_table`: request names, and what their responses do not show
"""
