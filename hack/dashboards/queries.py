"""PromQL of our metrics, limited to what the variables of a dashboard choose."""

from dataclasses import dataclass

RATE_WINDOW = "$__rate_interval"


@dataclass(frozen=True)
class Scope:
    """What the variables of a dashboard limit queries to.

    Attributes:
        variables: labels that have a variable of the same name, the widest first
    """

    variables: tuple[str, ...]

    def select(self, name: str, *matchers: str, labels: tuple[str, ...] = ()) -> str:
        """Return a selector of the metric `solrbench_<name>`.

        Args:
            name: of the metric, without the prefix
            matchers: more matchers, such as `quantile="0.95"`
            labels: labels beside those of every query that have a variable, too
        """
        chosen = (*self.variables, *labels)
        selectors = [f'{variable}=~"${variable}"' for variable in chosen] + list(matchers)
        return f"solrbench_{name}{{{', '.join(selectors)}}}"


BENCHMARKS = Scope(("cluster", "namespace", "benchmark"))
SWEEPS = Scope(("cluster", "namespace", "sweep"))
OPERATORS = Scope(("cluster",))
NAMESPACES = Scope(("cluster", "namespace"))

BENCHMARK = ("cluster", "namespace", "benchmark")
STEP = (*BENCHMARK, "step", "variant")
RESULT = (*STEP, "request")
"""Labels that name a row of a panel."""


def select(name: str, *matchers: str) -> str:
    """Return a selector of a metric of chosen benchmarks."""
    return BENCHMARKS.select(name, *matchers)


def of_step(name: str, *matchers: str) -> str:
    """Return a selector of a metric of chosen steps."""
    return BENCHMARKS.select(name, *matchers, labels=("step",))


def of_result(name: str, *matchers: str) -> str:
    """Return a selector of a metric of chosen steps and requests."""
    return BENCHMARKS.select(name, *matchers, labels=("step", "request"))


def by(labels: tuple[str, ...], expression: str, function: str = "max") -> str:
    """Return an aggregation over all labels but these."""
    return f"{function} by ({', '.join(labels)}) ({expression})"
