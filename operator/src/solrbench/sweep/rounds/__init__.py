"""Points over their rounds; without `spec.repeats` there is one.

- `finished_points`: points whose benchmark is over, with its figures
- `merging`: the figures of all rounds
- `next_round`: which points need another round
"""
