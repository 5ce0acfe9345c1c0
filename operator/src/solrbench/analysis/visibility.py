"""The time until marked documents were found, of each step, variant and replica type."""

from collections.abc import Iterable

from solrbench.analysis.server_metrics import group_by_step
from solrbench.api.v1alpha1 import Spec
from solrbench.api.v1alpha1.findings import MAX_VISIBILITY, StepVisibility
from solrbench.api.v1alpha1.step_result import PercentileResult
from solrbench.contract.step_document import StepRunResult, VisibilityResult
from solrbench.stats.number_format import round_number
from solrbench.stats.order_statistics import sample_percentile

PERCENTS = (50.0, 95.0, 99.0)


def merge_visibility(spec: Spec, documents: Iterable[StepRunResult]) -> list[StepVisibility]:
    """Return an entry for each step, variant and replica type, over all repeats."""
    found = ((document, each) for document in documents for each in document.visibility)
    merged = []
    for step, variant, results in group_by_step(spec, found):
        for kind in dict.fromkeys(each.replica_type for each in results):
            own = [each for each in results if each.replica_type == kind]
            merged.append(_merge(step, variant, kind, own))
    return merged[:MAX_VISIBILITY]


def _merge(step: str, variant: str, kind: str, results: list[VisibilityResult]) -> StepVisibility:
    times = sorted(time for each in results for time in each.milliseconds)
    percentiles = []
    for percent in PERCENTS if times else ():
        value, lower, upper = sample_percentile(times, percent)
        percentiles.append(
            PercentileResult(
                percent=percent,
                milliseconds=round_number(value),
                lower_milliseconds=None if lower is None else round_number(lower),
                upper_milliseconds=None if upper is None else round_number(upper),
            )
        )
    return StepVisibility(
        step=step,
        variant=variant or None,
        replica_type=kind or None,
        documents=sum(each.documents for each in results),
        not_found=sum(each.not_found for each in results),
        percentiles=percentiles,
        max_milliseconds=times[-1] if times else None,
        problem=next((each.problem for each in results if each.problem), None),
    )
