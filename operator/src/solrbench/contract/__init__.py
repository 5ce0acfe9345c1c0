"""What two processes agree on: names of objects, plans that pods read, documents that they write.

Pods of the release before still run after an upgrade, so a change here must stay readable by both.
"""
