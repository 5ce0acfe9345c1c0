"""Every file that is made from the models and their tables.

`python -m hack.generate` writes them below the folder it is started in; `--check` compares
instead, for `make verify`.
"""

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from hack.dashboards.render import render_dashboards
from hack.generate.api_reference import render_reference
from hack.generate.command_reference import render_command_reference
from hack.generate.crd import render_chart_template, render_crd
from hack.generate.docs_index import render_llms
from hack.generate.json_schema import render_schema
from hack.generate.metrics_reference import render_metrics_reference
from hack.generate.reason_reference import render_reason_reference, render_verdict_reasons
from solrbench.api.kinds import KINDS, ResourceKind
from solrbench.present.report import Report
from solrbench.present.sweeps.report import SweepReport


def crd_file(kind: ResourceKind) -> str:
    """Return where the definition of a kind is."""
    return f"crds/{kind.group}_{kind.plural}.yaml"


def render_files() -> dict[str, str]:
    """Return every generated file by its path below the root of the repository."""
    definitions = {kind: render_crd(kind) for kind in KINDS}
    templates = [render_chart_template(kind, text) for kind, text in definitions.items()]
    return {
        **render_dashboards(),
        **{crd_file(kind): text for kind, text in definitions.items()},
        "charts/solr-benchmark-operator/templates/crds.yaml": "---\n".join(templates),
        "docs/api-reference.md": render_reference(),
        "docs/command-line.md": render_command_reference(),
        "docs/metrics-reference.md": render_metrics_reference(),
        "docs/reasons.md": f"{render_reason_reference()}\n{render_verdict_reasons()}",
        "docs/schemas/report-1.json": render_schema(Report),
        "docs/schemas/sweep-report-1.json": render_schema(SweepReport),
        "llms.txt": render_llms(),
    }


def diff_files(root: Path) -> str:
    """Return a unified diff from the files on disk to the generated ones; empty if equal."""
    lines: list[str] = []
    for name, wanted in render_files().items():
        path = root / name
        text = path.read_text("utf-8") if path.exists() else ""
        pair = (text.splitlines(keepends=True), wanted.splitlines(keepends=True))
        lines += difflib.unified_diff(*pair, fromfile=name, tofile=f"{name} (generated)")
    return "".join(lines)


def write_files(root: Path) -> None:
    """Write every generated file below `root`."""
    for name, text in render_files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the generated files, or with `--check` return 1 and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m hack.generate", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--root", type=Path, default=Path(), help="root of the repository")
    options = parser.parse_args(arguments)
    if not options.check:
        write_files(options.root)
        return 0
    diff = diff_files(options.root)
    sys.stderr.write(diff)
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main())
