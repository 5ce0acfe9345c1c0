"""Why an export ends, and whether another try can help."""

from solrbench.errors import JobPodError


class ExportError(JobPodError):
    """The export cannot go on."""
