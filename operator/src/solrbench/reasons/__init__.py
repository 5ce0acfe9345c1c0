"""Every reason of a condition, with its kind, its meaning and what to do: one entry each.

`docs/reasons.md` is generated from them.
"""
