"""From a spec to ordered work, without I/O.

- `names`: every name and label of every object, in one place
- `target`: where the target is; `shared_target`: that of several points of a sweep
- `step_runs`: repeats, variants and steps in the order they are measured
- `companions`: what manifests of companions may hold
- `index_plan`, `load_plan`, `export_plan`: input of the pods of a benchmark, as JSON files
- `warm_up`: the warm-up before the first step
- `workload_files`: the lists of a workload, where they are mounted, its seeds
- `auth_files`: mounted files with the credentials of an existing target
- `vocabulary`, `document_generator`: the vocabulary that generated documents and queries share; the
  documents themselves
"""
