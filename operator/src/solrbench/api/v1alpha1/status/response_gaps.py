"""Who waited: the user with the fewest requests, and the longest waits."""

from solrbench.api.v1alpha1.fields import Count, Measure, Text
from solrbench.api.v1alpha1.status.conditions import StatusModel

MAX_RESPONSE_GAPS = 8
"""Steps and variants in the status."""


class StepResponseGaps(StatusModel):
    """Who waited in one step through one variant, over all repeats stored."""

    step: Text
    """Name of the step."""
    variant: Text | None = None
    """Name of the variant; absent without variants."""
    least_user_requests: Count | None = None
    """Requests of the user with the fewest, in the repeat in which it is farthest below the median;
    absent in an open loop and with a locustfile, as the following ones."""
    median_user_requests: Count | None = None
    """Median of the requests of a user in that repeat."""
    most_user_requests: Count | None = None
    """Requests of the user with the most in that repeat."""
    least_user: Count | None = None
    """Number of the user with the fewest requests, from 0."""
    least_user_node: Text | None = None
    """Host and port of its node."""
    least_user_repeat: Count | None = None
    """That repeat."""
    longest_milliseconds: Measure | None = None
    """The longest time that a user waited for a response; in an open loop, that no response came
    from a node although requests waited for it."""
    longest_user: Count | None = None
    """Number of that user, from 0; absent in an open loop."""
    longest_node: Text | None = None
    """Host and port of its node."""
    longest_repeat: Count | None = None
    """The repeat in which that was."""
    longest_second: Measure | None = None
    """When it began: seconds since the step began to be measured."""
