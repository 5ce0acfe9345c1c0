"""Who sends what, and when: shares that add up exactly, from seeds (pure).

- `assignment`: what one worker does in one step run
- `arrivals`: when the requests of an open loop are due
- `think_time`: how long a user waits; `drain_time`: how long requests may go on after a step
- `user_placement`, `user_classes`: which worker runs which user, and of which class it is
- `seeds`: a seed of its own for each purpose
- `messages`: names of the messages between master and workers
"""
