"""When a benchmark runs, is reconciled again, and needs the operator no more.

- `queue`: which benchmark may run
- `pauses`: how soon a benchmark is reconciled again, and live figures are written
- `finalizers`: how long a benchmark needs the operator
"""
