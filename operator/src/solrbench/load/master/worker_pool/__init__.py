"""The workers of a run as the master knows them.

- `pool`: the workers as one: step runs assigned, users spawned, reports awaited
- `membership`: which workers are there, and which of them take part
- `liveness`: which workers are lost, and what follows
- `distributed_step_run`: one step run over its workers; users of a lost worker go to the others
- `reports`: what the workers reported of the step run under way
- `listeners`, `orders`: messages from the workers, and to them
- `locust_runner`: the part of Locust that is needed, without importing it
"""
