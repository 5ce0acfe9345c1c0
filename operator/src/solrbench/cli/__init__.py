"""The `solrbench` command, also found as `kubectl solrbench`.

| module | commands |
| --- | --- |
| main | the group; commands are imported when they are called |
| pod_commands | operator, index, load: what the pods of the one image run |
| run | run, watch: apply a benchmark and follow it to its result |
| report | report: the results of one benchmark as table, Markdown, CSV or JSON |
| compare | compare: two benchmarks or reports beside each other |
| validate | validate: check files without a cluster |
| files, follow, layout, options, progress, states, tables | what these share |
"""
