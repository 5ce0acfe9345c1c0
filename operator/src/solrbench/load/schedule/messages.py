"""Names of the messages between master and workers, and the liveness both sides agree on.

Messages of one connection arrive in the order they were sent, so an assignment is there before
its users are spawned.
"""

from typing import NamedTuple

READY = "solrbench-ready"
"""Worker: has its requests prepared; `worker` is its name, `classes` those of its users."""

FAILED = "solrbench-failed"
"""Worker: cannot work; `reason` and `message`."""

ASSIGNMENT = "solrbench-assignment"
"""Master: the next step run; `assignment` as JSON."""

ADOPT_USERS = "solrbench-take-over"
"""Master: `users` of a lost worker, by number, come to this one in the step run `key`."""

SPAWNED = "solrbench-spawned"
"""Worker: all its users of the step run `key` are there."""

START_MEASURING = "solrbench-go"
"""Master: begin to measure the step run `key`."""

STOP_SENDING = "solrbench-close"
"""Master: begin no more requests of the step run `key`; its result follows the last one."""

ABORT = "solrbench-abandon"
"""Master: forget the step run `key`, its users go and it is run again."""

PROGRESS = "solrbench-progress"
"""Worker, once a second while its engine lives: `key`, the fields of `LiveTotals`, and
`recent`, those of `RecentRequests`."""

RESULT = "solrbench-outcome"
"""Worker: the step run is over; `outcome` as JSON."""

EXIT = "solrbench-end"
"""Master: exit with `exit_code`."""

WORKER_SILENT_SECONDS = 8
"""A worker whose heartbeat stays away for so long is lost."""

MASTER_SILENT_SECONDS = 12
"""A master whose heartbeat stays away for so long is lost."""

ENGINE_SILENT_SECONDS = 20
"""A worker whose engine reports nothing for so long during a step run is lost."""


class LiveTotals(NamedTuple):
    """The step run under way, as of the last second: of one worker or of all."""

    users: int
    requests: int
    failures: int
    sum_microseconds: int
    """Service times of the measured requests."""
