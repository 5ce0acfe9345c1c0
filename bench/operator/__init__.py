"""What the operator costs.

- `operator_scale`: among many benchmarks, which `stored_objects` stores
- `sweep_scale`: with a sweep of 500 points

"""
