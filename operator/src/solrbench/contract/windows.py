"""Windows of a step run as they are stored, and their statistics. Parts of `StepRunResult`."""

from datetime import datetime

from solrbench.api.rules import LenientModel


class Window(LenientModel):
    # The stored form: in memory, windows are those of a `SecondSeries`.
    """A second of a step run, or `StepRunResult.window_seconds` of it, for one request name."""

    second: int
    """When it began: whole seconds since the step run did."""
    requests: int
    failures: int
    mean_microseconds: int | None = None
    max_microseconds: int | None = None


WINDOW_REQUESTS = 1000
"""Requests in a window of the cold-start curve."""

MAX_THOUSANDS = 5000
"""Windows that are kept of one step run, from its first request on."""

MAX_CACHE_SAMPLES = 3600
"""Samples that are kept of one step run; with more, the time between two grows."""

MAX_OUTLIERS = 50
"""Outliers that are listed of one step run: those that are farthest away."""


class RequestWindow(LenientModel):
    """A thousand responses in a row, or as many as were left at the end of the step run."""

    requests: int
    failures: int
    end_seconds: float
    """When the last of them ended, counted from the begin of measuring."""
    seconds: float
    """From the end of the thousand before; of the first one, from the first request sent."""
    mean_microseconds: int
    """Mean service time."""
    max_microseconds: int


class CacheSample(LenientModel):
    """Lookups in one of Solr's caches by one moment, over all cores of the collection."""

    second: float
    """When Solr was sampled, counted from the begin of measuring."""
    cache: str
    """filterCache, queryResultCache or documentCache."""
    lookups: int
    """Since the cores were loaded, over all searchers."""
    hits: int


class EmptiedCaches(LenientModel):
    """Solr's caches when they were emptied; afterwards each core reported no entries."""

    entries_before: int
    """Entries of all caches of the collection until then, over all its cores."""
    cores: int
    """Number of these cores."""
    seconds: float
    """How long it took."""


class EndedEarly(LenientModel):
    """A step run that ended before its time: no response was good any more, or it broke off."""

    second: float
    """When no more requests were begun, counted from the begin of measuring."""
    last_good_second: float
    """When the last good response came, to the second: the failures after it are the first symptom.
    0 if there was none."""
    failures: int
    """Requests that failed since."""
    reason: str | None = None
    """Why it broke off: the reason of the benchmark's failure. None if it was ended since the
    target gave no good response."""
    message: str = ""
    """The same in words."""


class OutlierWindow(LenientModel):
    """A second of a step run that is unlike the others."""

    second: int
    """Whole seconds since the begin of measuring."""
    time: datetime
    """When it began."""
    requests: int
    """Requests that ended in it; 0 if Solr sent no response."""
    mean_microseconds: int | None = None
    """Mean service time; absent if nothing ended."""
    median_microseconds: int
    """Median of the means of all seconds of the step run."""
    deviations: float | None = None
    """Distance of mean and median in scaled median absolute deviations; absent if nothing ended."""
