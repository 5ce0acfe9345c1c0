"""Results on a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.cli.progress import details, summary
from solrbench.results.render import HEADERS, NUMERIC_FROM, rows

WIDTH_WITHOUT_TERMINAL = 160


def print_result(console: Console, benchmark: SolrBenchmark) -> None:
    """Print how a benchmark ended, its figures and what to do next."""
    reason, message = summary(benchmark)
    good = benchmark.status.phase == "Succeeded"
    console.print(
        Text(f"\n{benchmark.key}: {benchmark.status.phase}", style="green" if good else "bold red")
    )
    if not good:
        console.print(Text(f"  {reason}: {message}"), soft_wrap=True)
    for title, text in details(benchmark):
        console.print(Text(f"  {title}: {text}"), soft_wrap=True)
    print_table(console, benchmark)
    print_next_commands(console, benchmark)


def print_table(console: Console, benchmark: SolrBenchmark) -> None:
    """Print the table of results; nothing if nothing was measured."""
    results = benchmark.status.results
    if not results:
        return
    if not console.is_terminal:
        console = Console(file=console.file, width=WIDTH_WITHOUT_TERMINAL, highlight=False)
    table = Table(title_justify="left", header_style="bold")
    filled = list(rows(results))
    shown = [i for i in range(len(HEADERS)) if any(row[i] for row in filled)]
    for i in shown:
        table.add_column(HEADERS[i], justify="right" if i >= NUMERIC_FROM else "left", no_wrap=True)
    for row in filled:
        table.add_row(*(row[i] for i in shown))
    console.print(table)
    console.print(
        "Service times; percentiles from merged histograms;"
        " ± is the relative standard deviation of the repeats."
    )


def print_next_commands(console: Console, benchmark: SolrBenchmark) -> None:
    """Print what a reader may want to do with this benchmark now."""
    where = f"-n {benchmark.metadata.namespace} {benchmark.metadata.name}"
    lines = [
        f"solrbench report {where} -o markdown    # also: csv, json (histograms, windows)",
        f"kubectl get sbench {where} -o yaml      # everything the status says",
        f"kubectl delete sbench {where}           # the benchmark and all it made",
    ]
    console.print("\nNext:", *(f"\n  {line}" for line in lines), sep="", soft_wrap=True)
