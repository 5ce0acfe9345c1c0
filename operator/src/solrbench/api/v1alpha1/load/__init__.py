"""`spec.load` and `spec.warmUp`: how the load is generated.

- `load`: workers, repeats and steps
- `repeats`: how often all steps are run
- `between`: what is done between steps
- `warm_up`: load before the first step
- `telemetry`: what is read of servers meanwhile
- `validity`: limits beyond which results are invalid
"""
