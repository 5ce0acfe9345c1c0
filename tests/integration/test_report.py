"""The report of a real load on loopback, in all its forms."""

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from solrbench.analysis.step_results import merge_steps, merge_totals, summarise
from solrbench.api.rules import plain
from solrbench.api.v1alpha1 import Spec, Status
from solrbench.cli import report as command
from solrbench.contract.step_runs import all_step_runs
from solrbench.present.report import Report
from support.load.processes import make_plan, running, serving
from support.results.builders import verdicts_of
from support.results.samples import benchmark_samples
from support.servers.http_server import Exchange

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report-1.json").read_text("utf-8"))
EVERY = 50
"""One of so many requests fails."""

SPEC = Spec.model_validate(
    {
        "target": {"solrCloud": {"nodes": 1}},
        "dataset": {"generator": {"documents": 1000}},
        "workload": {"queries": {"generated": {}}, "requestName": "search"},
        "load": {
            "workers": 2,
            "repeats": {"count": 2},
            "steps": [
                {"name": "two-users", "users": 2, "durationSeconds": 3},
                {"name": "four-users", "users": 4, "durationSeconds": 3},
            ],
        },
    }
)


class FailingSolr:
    """Refuses one of many requests."""

    def __init__(self) -> None:
        self.selects = 0

    async def __call__(self, exchange: Exchange) -> None:
        self.selects += exchange.path.endswith("/select")
        if exchange.path.endswith("/select") and self.selects % EVERY == 0:
            exchange.send(b'{"error":{"msg":"<b>no live servers</b>"}}', status=503)
        else:
            exchange.send()


@pytest.mark.timeout(120)
def test_report_of_a_load_has_all_its_numbers_in_every_form(tmp_path: Path) -> None:
    step_runs = all_step_runs(SPEC)
    with serving(FailingSolr()) as server:
        plan = make_plan(server)
        plan["workload"] = plain(SPEC.workload)
        plan["generator"] = {"documents": 1000}
        plan["stepRuns"] = [
            {
                "id": str(each),
                "repeat": each.repeat,
                "step": plain(SPEC.load.steps[each.step_index]),
            }
            for each in step_runs
        ]
        with running(tmp_path, plan, "") as load:
            documents = [load.store(str(each)) for each in step_runs]
    status = Status(
        phase="Succeeded",
        results=merge_steps(benchmark_samples(SPEC, documents)),
        totals=merge_totals(benchmark_samples(SPEC, documents)),
        summary=summarise(benchmark_samples(SPEC, documents)),
        verdicts=verdicts_of(SPEC, documents),
    )
    report = Report(benchmark="tests/real", spec=SPEC, status=status, steps=documents)
    stored = tmp_path / "real.json"
    stored.write_bytes(report.to_json())
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(stored.read_bytes()))
    assert Report.parse(stored.read_bytes()) == report

    text = {form: _written(stored, form) for form in command.FORMS}
    requests = f"{status.totals[0].requests:,}"
    assert f'<td class="number">{requests}</td>' in text["html"]
    assert "&lt;b&gt;no live servers&lt;/b&gt;" in text["html"]
    assert "<b>" not in text["html"] + text["markdown"]
    for form in ("markdown", "table"):
        assert "HTTP503" in text[form]
        assert "no live servers" in text[form]
    windows = text["csv-windows"].splitlines()
    assert len(windows) >= 1 + len(documents) * 3


def _written(stored: Path, form: str) -> str:
    full = ["--details"] if form == "table" else []
    found = CliRunner().invoke(command.report, [str(stored), "-o", form, *full])
    assert found.exit_code == 0, found.output
    return found.output
