"""Numbers, without I/O.

- `document`: the result of one step of one repeat, as pulled from the load master and stored
- `histograms`: latency histograms that merge exactly
- `merge`: documents of all repeats into the status
- `report`: the stored form of the whole benchmark
"""
