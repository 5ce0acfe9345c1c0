"""What is kept of a failure before its pods go: logs, events, and the state of the collection.

- `masking`: no value of a Secret, and nothing that looks like one, in the text
- `text`: pods, events and replicas in words, cut to what a ConfigMap has room for
"""
