"""Pure builders of Kubernetes objects: the same spec gives the same manifests."""
