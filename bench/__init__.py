"""What the load core and the operator can do, and how right they are: `make bench`.

- `__main__`: the command; one line for each bar
- `load`: requests per CPU-second, the price of a modest rate, figures against what a server saw
- `operator`: what many benchmarks and large sweeps cost the operator
- `bottlenecks`: planted and computed bottlenecks against the rules that name them
- `statistics`: how often intervals, words, trends and verdicts are right
- `capacity`: searches for a limit that is known
- `harness`: the product and its peers as processes, what they cost, the table
- `servers`: what is asked, on loopback only

Everything is bounded in time and count, and nothing leaves the machine.
"""
