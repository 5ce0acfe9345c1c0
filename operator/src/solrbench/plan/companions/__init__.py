"""What manifests of companions may hold, and what they become.

- `text`: YAML of strangers as plain values, bounded, without aliases
- `values`: `$(NAME)` replaced in every text
- `pods`, `objects`: what Deployments, Services and ConfigMaps may have; anything else is refused
- `references`: how they refer to each other
- `bundle`: all manifests of a benchmark
"""
