"""What is taken from Solr's JVMs during the step runs of one repeat.

- `recorder`: when it is taken, and how much is kept
- `thread_dumps`, `gc_logs`, `flight_recordings`: where it comes from
- `agents`: how those in the pods are asked
"""
