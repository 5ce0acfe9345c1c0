"""How often statistical statements are right, where the truth is known.

- `intervals`, `false_alarms`: of one step; `steady_steps`, `trends`: within a step
- `healthy_verdicts`: verdicts on runs in which nothing is wrong
- `comparison_words`, `measured_pairs`, `real_pairs`: words of comparisons, by simulation, by
  the load core, by the operator in pods
- `size_bends`, `adaptive_sweeps`: sentences and rounds of sweeps

"""
