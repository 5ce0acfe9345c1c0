"""What held each step back, one sentence for each step and variant."""

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.results.bottleneck.sentences import bottleneck_sentences


def answer_bottlenecks(spec: Spec, status: Status) -> list[str]:
    """Return a sentence for each entry of `status.bottlenecks`."""
    del spec
    return bottleneck_sentences(status.bottlenecks)
