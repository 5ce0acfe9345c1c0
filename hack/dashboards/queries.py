"""PromQL of our metrics, limited to what the variables of a dashboard choose."""

from dataclasses import dataclass

RATE_WINDOW = "$__rate_interval"


@dataclass(frozen=True)
class Scope:
    """What queries are limited to: labels that have a variable of the same name."""

    variables: tuple[str, ...]

    def select(self, name: str, *matchers: str) -> str:
        """Return a selector of `solrbench_<name>`; a matcher is such as `quantile="0.95"`."""
        chosen = [f'{variable}=~"${variable}"' for variable in self.variables]
        return f"solrbench_{name}{{{', '.join([*chosen, *matchers])}}}"


BENCHMARK = ("cluster", "namespace", "benchmark")
STEP = (*BENCHMARK, "step", "variant")
RESULT = (*STEP, "request")
"""Labels that name a row of a panel."""

OPERATORS = Scope(("cluster",))
NAMESPACES = Scope(("cluster", "namespace"))
SWEEPS = Scope(("cluster", "namespace", "sweep"))
select = Scope(BENCHMARK).select
of_step = Scope((*BENCHMARK, "step")).select
of_result = Scope((*BENCHMARK, "step", "request")).select
"""Selectors of metrics of chosen benchmarks, steps, and steps and requests."""


def by(labels: tuple[str, ...], expression: str, function: str = "max") -> str:
    """Return an aggregation over all labels but these."""
    return f"{function} by ({', '.join(labels)}) ({expression})"
