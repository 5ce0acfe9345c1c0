"""The highest rate that meets the objectives: the search, the knee, the scalability law. Pure.

- `zero_crossing`: where a line through trials crosses zero, with an interval
- `search`: which rate to try next, or what was found, from the trials so far
- `knee`: where throughput turns from growing to standing still
- `scalability_law`: the Universal Scalability Law of a ladder of users
- `trials`: from stored step runs to the next one
- `summary`, `user_scaling`: both as the status shows them
- `answers`: both as sentences
"""
