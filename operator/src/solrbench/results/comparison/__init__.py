"""Two sides beside each other: better, worse, the same, or unclear.

- `metric`: what is compared, and which direction is better
- `difference`: from figures of repeats to the difference of two sides, on the level of targets
- `estimates`: what is known of a difference, by Student's t or by ranks
- `findings`: the word on it; `corrections` for many at once, `looks` for one after every repeat
"""
