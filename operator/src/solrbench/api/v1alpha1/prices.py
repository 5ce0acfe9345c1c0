"""What the machines of a target cost: prices of what its pods request."""

from typing import Annotated, ClassVar

from pydantic import Field, Strict, StringConstraints

from solrbench.api.rules import Matches, Model, Rule
from solrbench.api.v1alpha1.fields import at_least

Price = Annotated[float, Strict(), Field(le=1_000_000, allow_inf_nan=False)]
"""Price of one unit for an hour, in `currency`."""


class Prices(Model):
    """Prices by the hour of what the pods of Solr and ZooKeeper request.

    Pods of the load, of indexing and of companions are not counted: they are no part of what is
    to serve users. ZooKeeper outside of the target is not counted either.
    """

    currency: Annotated[
        str,
        StringConstraints(min_length=1, max_length=8),
        Matches(r"[^\s\x00-\x1f]+", "must be a short text without spaces, such as EUR"),
    ]
    """`currency` is the unit of all prices, as it is shown: EUR, USD, credits."""
    per_core_hour: Price = 0.0
    """`perCoreHour` is the price of a CPU for an hour, by the CPU requests of the pods; of a pod
    without one, its limit."""
    per_memory_gibibyte_hour: Price = 0.0
    """`perMemoryGibibyteHour` is the price of a GiB of memory for an hour, by the memory requests
    of the pods; of a pod without one its limit, or 1.25 times its heap."""
    per_disk_gibibyte_hour: Price = 0.0
    """`perDiskGibibyteHour` is the price of a GiB of disk for an hour, by the size of the
    persistent volumes of Solr."""

    rules: ClassVar = (
        *(
            at_least(field, 0.0, ", leave it out where nothing is paid")
            for field in ("perCoreHour", "perMemoryGibibyteHour", "perDiskGibibyteHour")
        ),
        Rule(
            cel=(
                "self.perCoreHour > 0.0 || self.perMemoryGibibyteHour > 0.0"
                " || self.perDiskGibibyteHour > 0.0"
            ),
            message=(
                "one of perCoreHour, perMemoryGibibyteHour and perDiskGibibyteHour must be above 0"
            ),
        ),
    )
