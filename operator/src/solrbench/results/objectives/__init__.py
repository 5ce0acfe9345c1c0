"""Objectives: what they limit, whether it is met, and which steps are not run. Pure.

- `measures`: the number that an objective limits, with its interval
- `evaluation`: the word of each objective, and of all
- `fail_fast`: which steps are left out
- `answers`: each as a sentence
- `wording`: objectives and their results as text
"""
