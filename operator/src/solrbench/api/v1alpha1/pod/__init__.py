"""Parts of the spec about pods.

- `pods`: requests and limits
- `pod_options`: what may be set of each component's pods; `affinity`: where they run
"""
