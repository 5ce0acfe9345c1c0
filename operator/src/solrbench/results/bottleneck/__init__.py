"""What held a step back, by rules in a fixed order, each with its numbers and its limit.

- `evidence`: what the rules read of one step run
- `rules`: one function for each resource, their order, and what to vary next; `peers`: one node
  beside the others
- `bottlenecks`: the first rule that applies, and whether repeats agree
- `sentences`: the same in words

Saturation comes before utilisation (Gregg, the USE method). A resource is named only on evidence:
what was not measured is never accused.
"""
