"""What every part uses: the product and its peers as processes, and the table of results.

- `product`: the real load master and its workers; `peers`: wrk, k6 and Locust's own fastest user
- `processes`: starts, ends and weighs processes; `measurement`: what a client costs
- `baseline`: the least that the machine costs; `percentiles`: those of known samples
- `table`: one line for each bar

"""
