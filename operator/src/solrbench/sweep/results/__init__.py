"""What the points of a sweep show.

- `best_point`: the best point
- `differences`: points beside the baseline, with words
- `answers`: what axes show, in sentences; `best_answers`: the best point; `next_steps`: what to
  do next; `size_answers`: where reads begin to rise with the index
- `phrases`: words, points and figures as text
"""
