"""One request of a log."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import parse_qsl

from solrbench.plan.workload_files import Parameters


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A request as it was logged.

    Attributes:
        time_seconds: Unix time at which it came
        handler: such as `/select`
        parameters: in their order

    """

    time_seconds: float
    handler: str
    parameters: Parameters

    @property
    def shape(self) -> str:
        """Handler and names of the parameters, which say what kind of request it is."""
        names = Counter(name for name, _ in self.parameters)
        return f"{self.handler} {'&'.join(sorted(names))}".rstrip()


def parse_parameters(text: str) -> Parameters:
    """Return URL-encoded parameters."""
    return tuple(parse_qsl(text, keep_blank_values=True, max_num_fields=1000))
