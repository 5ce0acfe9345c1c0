"""What the points of a sweep show.

- `outcome`: the best point
- `differences`: points beside the baseline, with words
- `answers`: what axes show, in sentences; `size_answers`: where reads begin to rise with the index
"""
