"""What the load core can do and how right it is, measured against peers: `make bench`.

- `__main__`, `table`: the command; one line for each bar
- `throughput`, `cost`, `scaling`: requests per CPU-second, the price of a modest rate, two workers
- `accuracy`, `arrivals`, `stalls`: figures and schedules against what a server saw itself
- `merged`: the histogram of four workers against that of all their samples
- `product`: the real master and its workers; `peers`: wrk, k6 and Locust's own fastest user
- `processes`: starts, ends and weighs processes; `statistics`: percentiles of known samples
- `servers`: what is asked, on loopback only

Everything is bounded in time and count, and nothing leaves the machine.
"""
