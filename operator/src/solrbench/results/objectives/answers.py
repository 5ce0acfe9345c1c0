"""What objectives say, one sentence for each."""

from collections.abc import Iterator

from solrbench.api.v1alpha1 import Spec, Status
from solrbench.api.v1alpha1.status.objectives import ObjectiveResult, ObjectiveWord

_ORDER = (ObjectiveWord.MISSED, ObjectiveWord.UNCLEAR, ObjectiveWord.MET)


def answer_objectives(spec: Spec, status: Status) -> Iterator[str]:
    """Yield one sentence for each objective: the steps that missed it first, or how many met it."""
    for objective in spec.objectives:
        results = status.objectives.results if status.objectives is not None else []
        own = [each for each in results if each.name == objective.name]
        if own:
            yield _sentence(objective.name, own)


def objectives_word(status: Status) -> ObjectiveWord | None:
    """Return the word of all objectives, which decides an exit code; None without objectives."""
    return None if status.objectives is None else status.objectives.word


def _sentence(name: str, results: list[ObjectiveResult]) -> str:
    first = min(results, key=lambda each: _ORDER.index(each.word))
    alike = sum(each.word is first.word for each in results)
    place = f" at {first.step}" if first.step else ""
    through = f" through {first.variant}" if first.variant else ""
    others = f"; {first.word} in {alike} of {len(results)} steps" if len(results) > 1 else ""
    return f"objective {name}: {first.word}{place}{through}: {first.message}{others}"
