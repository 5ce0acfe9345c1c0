"""The command of an index pod: read, clean, split, route and send one part of a dataset.

The pod has no Kubernetes credentials; its plan is a mounted file.
"""
