"""Short sentences made from the numbers of a status: `status.answers`.

- `collect`: all of them, in their order, never more than a status holds
- `comparison`: variants, and the benchmark beside its baseline
- `bottleneck`: what held each step back
- `trends`: what grew

A new kind of answer is a module with a function from spec and status to sentences, and an entry in
`collect.KINDS`.
"""
