"""A number of the results has one row in one table, from which everything that shows it is made."""

import csv
import re
from typing import Any

import pytest

from solrbench.analysis.step_results import merge_steps
from solrbench.api.schema import object_schemas
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.comparisons import Overhead
from solrbench.api.v1alpha1.conditions import (
    OnlyWith,
    ResultField,
    StatusModel,
    Unit,
    result_fields,
)
from solrbench.api.v1alpha1.server_metrics import StepTelemetry
from solrbench.api.v1alpha1.status import Status
from solrbench.api.v1alpha1.step_details import ColdStart, OpenLoopStats
from solrbench.api.v1alpha1.step_result import RESULT_FIELDS, ResultColumn, StepResult
from solrbench.contract.request_counts import RequestCounts
from solrbench.metrics.results import RESULT_FAMILIES
from solrbench.present.csv import to_csv
from support.repository import ROOT
from support.results.builders import make_document, make_result, make_spec
from support.results.samples import benchmark_samples
from support.results.statuses import full_status

SOURCES = ROOT / "operator/src/solrbench"
RECORDING = SOURCES / "load" / "recording"
TABLES = (StepResult, StepTelemetry, OpenLoopStats, ColdStart)
COUNTED = [each for each in RESULT_FIELDS if each.name in RequestCounts.model_fields]


@pytest.mark.parametrize("name", ["late_requests", "dropped_requests", "ramp_requests"])
def test_a_counter_is_named_in_three_files_besides_the_recorder(name: str) -> None:
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if RECORDING not in path.parents and re.search(rf"\b{name}\b", path.read_text("utf-8"))
    }
    assert {"contract/request_counts.py", "api/v1alpha1/step_result.py"} <= found
    assert len(found) <= 3, found


@pytest.mark.parametrize("model", TABLES)
def test_every_field_is_in_schema_and_reference(model: type[StatusModel]) -> None:
    schema = object_schemas(SolrBenchmark)[model.__name__]["properties"]
    page = (ROOT / "docs" / "api-reference.md").read_text("utf-8")
    _, _, section = page.partition(f"\n## {model.__name__}\n")
    rows = re.findall(r"^\| `(\w+)` .* \| (.*) \|$", section.partition("\n## ")[0], re.MULTILINE)
    described = {model.model_fields[each.name].alias: each.text for each in result_fields(model)}
    assert dict(rows) == described
    assert schema.keys() == described.keys()
    assert all(described.values())


def test_every_field_has_a_column_in_csv() -> None:
    result = full_status().results[0]
    (row,) = csv.DictReader(to_csv(Status(results=[result])).splitlines())
    plain = [
        each.name
        for each in RESULT_FIELDS
        if not each.name.endswith("_interval") and each.name != "percentiles"
    ]
    assert [column for column in row if column in plain] == plain
    shown = {name: row[name] for name in plain if name != "is_transaction"}
    values = {name: getattr(result, name) for name in shown}
    assert shown == {name: "" if value is None else str(value) for name, value in values.items()}
    assert [column for column in row if column not in plain] == [
        *("requests_per_second_lower", "requests_per_second_upper"),
        *("documents_per_second_lower", "documents_per_second_upper"),
        *("average_milliseconds_lower", "average_milliseconds_upper"),
        *("response_average_milliseconds_lower", "response_average_milliseconds_upper"),
        *(f"percentile_95{each}_milliseconds" for each in ("", "_lower", "_upper")),
        *(f"percentile_99_9{each}_milliseconds" for each in ("", "_lower", "_upper")),
        *("verdict", "reasons"),
    ]
    assert (row["average_milliseconds_lower"], row["average_milliseconds_upper"]) == ("5.2", "5.8")
    assert row["percentile_95_lower_milliseconds"] == "12.8"
    assert row["percentile_99_9_lower_milliseconds"] == ""


@pytest.mark.parametrize("model", TABLES)
def test_every_metric_has_a_family(model: type[StatusModel]) -> None:
    families = {each.name: each for each in RESULT_FAMILIES}
    fields = [(field, metric) for field in result_fields(model) if (metric := field.shown.metric)]
    assert fields
    for field, metric in fields:
        family = families[f"step_{metric.name}" if model is StepTelemetry else metric.name]
        assert family.text == (metric.text or field.text)
        assert field.shown.unit is not Unit.NONE


def test_no_metric_is_made_of_two_fields_but_a_summary() -> None:
    metrics = [each.shown.metric for model in TABLES for each in result_fields(model)]
    named = [(each.name, each.quantile) for each in metrics if each]
    assert len(set(named)) == len(named)
    for family in RESULT_FAMILIES:
        if "quantile" in family.labels:
            assert family.kind == "summary", "as promtool wants of this label"


def test_every_column_is_filled_by_one_field_of_each_kind_of_loop() -> None:
    columns = [each.shown.columns for each in RESULT_FIELDS]
    for titles in ([each.closed for each in columns], [each.open for each in columns]):
        filled = [title for title in titles if title]
        assert len(set(filled)) == len(filled)
        assert set(filled) <= set(ResultColumn)
    shown = {title for each in columns for title in (each.closed, each.open) if title}
    assert shown == set(ResultColumn) - {ResultColumn.VERDICT}


def test_field_without_a_row_is_refused() -> None:
    with pytest.raises(TypeError, match="field percent lacks a Shown"):
        result_fields(Overhead)


@pytest.mark.parametrize("field", COUNTED, ids=lambda each: each.name)
def test_counts_of_all_repeats_are_in_the_status_under_their_name(field: ResultField) -> None:
    name = field.name
    times = make_result([9]).service_time_histogram
    numbers: dict[str, Any] = {"requests": 4, "response_time_histogram": times}
    repeats = [
        make_document("a", each, make_result([9], **numbers | {name: 4 * each})) for each in (1, 2)
    ]
    spec = make_spec("a")
    step = spec.load.steps[0].model_copy(update={"spawn_rate": 1.0})
    load = spec.load.model_copy(update={"steps": [step]})
    (found,) = merge_steps(benchmark_samples(spec.model_copy(update={"load": load}), repeats))
    assert getattr(found, name) == 12


def test_counts_that_only_some_steps_have_are_absent_from_the_others() -> None:
    fives = {each.name: 5 for each in COUNTED if each.shown.only_with}
    closed = make_result([9]).model_copy(update=fives)
    (found,) = merge_steps(benchmark_samples(make_spec("a"), [make_document("a", 1, closed)]))
    absent = {each.name for each in COUNTED if getattr(found, each.name) is None}
    assert absent == {"ramp_requests", "late_requests", "dropped_requests", "drain_requests"}
    assert {each.shown.only_with for each in COUNTED} == {None, *OnlyWith}
