"""What pods show, and why some are missing or cannot end.

- `problems`: what is wrong with a pod, as a reason and a remedy
- `events`: restarts, OOM kills and losses of pods during a step run
- `creation`: why a controller of Kubernetes may not create pods
- `lost`: which pods cannot end because their node is lost
"""
