"""The export pod: reads the stored results, writes them to a volume or a bucket, reads them back.

- `command`: the command of the pod
- `stored`: the report, from the ConfigMaps that are mounted
- `destination`: the volume or bucket, behind one interface
- `writing`: every file written and read back; older exports removed
- `errors`: why an export ends
"""
