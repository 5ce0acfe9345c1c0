"""Which positions of the dataset belong to which pod."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Partition:
    """The share of one pod: every `pods`-th batch.

    Attributes:
        pod: completion index, from 0
        pods: pods that share the dataset
        batch: positions that stay together

    """

    pod: int
    pods: int
    batch: int

    def owns(self, position: int) -> bool:
        """Return whether the document at `position` (from 0) belongs to this pod."""
        return position // self.batch % self.pods == self.pod

    def of_files(self, files: int) -> tuple[range, "Partition"]:
        """Return which of so many files this pod reads, and which positions in them it owns.

        With at least as many files as pods, each pod has whole files of its own; otherwise it has
        one file, which it shares with every pod that is `files` away.
        """
        if files >= self.pods:
            return range(self.pod, files, self.pods), Partition(0, 1, self.batch)
        own = self.pod % files
        sharers = len(range(own, self.pods, files))
        return range(own, own + 1), Partition(self.pod // files, sharers, self.batch)

    def ranges(self, total: int) -> Iterator[range]:
        """Return this pod's positions among the first `total`, batch by batch."""
        for start in range(self.pod * self.batch, total, self.pods * self.batch):
            yield range(start, min(start + self.batch, total))
