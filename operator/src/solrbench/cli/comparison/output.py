"""A comparison on the terminal, as Markdown, CSV and JSON."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import click
import orjson
from rich.console import Console

from solrbench.api.v1alpha1.status.comparison import BaselineComparison, FigureComparison
from solrbench.cli.terminal.table_printing import print_line
from solrbench.cli.terminal.tables import print_baseline_table
from solrbench.results.text.baseline_text import comparison_to_markdown


@dataclass(frozen=True)
class ComparisonOutput:
    """Two sides beside each other.

    Attributes:
        after: name of what is compared with the baseline
        found: all figures
        answers: what they say, in sentences
        place: what figures are of: a step, or a point of a sweep

    """

    after: str
    found: BaselineComparison
    answers: Sequence[str]
    place: str = "step"

    @property
    def title(self) -> str:
        """What is beside what."""
        return f"{self.after} beside {self.found.baseline}"


def print_comparison(compared: ComparisonOutput, output: str) -> None:
    """Print a comparison as `table`, `markdown`, `csv` or `json`."""
    match output:
        case "markdown":
            lines = "".join(f"- {each}\n" for each in compared.answers)
            text = comparison_to_markdown(compared.found, compared.place)
            click.echo(f"# {compared.title}\n\n{lines}\n{text}")
        case "csv":
            click.echo(_to_csv(compared), nl=False)
        case "json":
            click.echo(_to_json(compared))
        case _:
            console = Console(highlight=False)
            print_line(console, compared.title, style="bold")
            for answer in compared.answers:
                print_line(console, answer, indent=2)
            print_baseline_table(console, compared.found, compared.place)


def _to_csv(compared: ComparisonOutput) -> str:
    """Return raw numbers with a header line; the unit is in the name of each figure."""
    head = [compared.place, *list(FigureComparison.model_fields)[1:]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for each in compared.found.figures:
        writer.writerow(each.model_dump(mode="json").values())
    return out.getvalue()


def _to_json(compared: ComparisonOutput) -> str:
    body = compared.found.model_dump(mode="json", by_alias=True, exclude_none=True)
    body["figures"] = [
        {(compared.place if name == "step" else name): value for name, value in each.items()}
        for each in body["figures"]
    ]
    body |= {"after": compared.after, "answers": list(compared.answers)}
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
