"""Whether a response is valid, on its bytes alone (pure).

- `response_checks`: status, Solr's errors, partial results
- `expectations`: how many documents it found, which text it contains
"""
