"""Statistics that know nothing of benchmarks.

- `histograms`: latency histograms that merge exactly
- `repeat_statistics`: mean, deviation and interval of few values; `repeats`: whether they agree
- `tail_probability`, `quantiles`: Student's t and Fisher's F; `rank_sum`: orders of two samples
- `per_second`: mean service time of each second
- `steadiness`: from which second on a series is steady
- `step_drift`: whether a series still changed at its end
- `outliers`: seconds that differ from their neighbours
- `number_format`: numbers as text
"""
