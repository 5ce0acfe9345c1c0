"""The `solrbench` command, also found as `kubectl solrbench`.

| module | what |
| --- | --- |
| main | the group and the list of commands, which are imported when they are called |
| commands | the commands, one module each; report has its own here |
| pod_commands | operator, index, load: what the pods of the one image run |
| files | benchmarks in files, with lines, faults and changes |
| comparison | two benchmarks, sweeps or reports beside each other |
| query_log | query logs as workloads |
| readiness | whether a cluster is ready, and has room |
| follow | a benchmark under way |
| terminal | results and progress on a terminal |
| options, errors, exit_codes, program | what all commands share |
"""
