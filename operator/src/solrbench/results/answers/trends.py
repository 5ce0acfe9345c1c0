"""What grew, one sentence for each figure of a step."""

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.results.trends.sentences import trend_sentences


def answer_trends(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.trends` that grows."""
    del spec
    return trend_sentences(status.trends)
