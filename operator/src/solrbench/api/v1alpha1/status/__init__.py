"""`status` of a `SolrBenchmark`: what was observed and measured.

- `status`: the whole of it
- `conditions`: conditions and attempts; the base of every part
- `target`: the target, its data and the load under way
- `steps`: what was measured of each step
- `summaries`: what is measured besides: open loop, cold start, comparisons, summary
- `comparison`: the benchmark beside its baseline
- `comparison_word`: the word of a comparison
- `telemetry`: what the servers did, and what held a step back; `trends`: what grew meanwhile
- `response_gaps`: users and nodes that waited longest
- `verdicts`: whether that is valid
"""
