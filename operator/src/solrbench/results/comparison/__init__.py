"""Two sides beside each other: better, worse, the same, or unclear.

- `metric`: what is compared, and which direction is better
- `side_difference`: from figures of repeats to the difference of two sides, on the level of targets
- `estimates`: what is known of a difference, by Student's t or by ranks
- `findings`: the word on it; `corrections` for many at once, `looks` for one after every repeat
- `repeat_figures`: figures of repeats, read from stored step runs
- `compared_steps`: steps of two sides: a primary figure of each, and details below it
- `comparison_settings`: what a spec asks for
- `side`: a benchmark or a stored report; `side_comparison`: two of them
- `spec_differences`: how their specs differ
- `baseline`: such a comparison as the status shows it
- `variants`: variants of a target against the first of them
"""
