"""The sources, one module each; whatever lies here is found.

A new source is a member of the API's `Dataset` and a module here with a function below
`@source(Member)`.

- `generator`: documents made from a seed
- `http`: files behind URLs
- `mounted`: files in a volume or a ConfigMap, mounted into the pod
"""
