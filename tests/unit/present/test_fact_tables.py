"""What was indexed, by pod and file, and what was cleaned."""

import pytest

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.api.v1alpha1.load import Step
from solrbench.api.v1alpha1.status import CleanedStatus, DatasetStatus, IndexedFile, IndexPodStatus
from solrbench.present.fact_tables import data_facts, index_pods_table, step_text, target_facts
from solrbench.present.html import render_html
from solrbench.present.markdown import to_markdown
from support.resources.small_resource import RESTORED, create, resource, use
from support.results.reports import make_report, with_status

FILE = IndexedFile(name="a|b.csv", documents=4, bytes=5_000_000, seconds=2.5)
POD = IndexPodStatus(pod=1, node="worker-1", documents=7, bytes=9, seconds=3, files=1)
DATA = DatasetStatus(
    documents=7,
    by_pod=[POD.model_copy(update={"slowest_files": [FILE]})],
    cleaned=CleanedStatus(documents=1, control_characters=2, invalid_bytes=1),
)


def test_each_pod_is_followed_by_its_slowest_files() -> None:
    (pod,) = DATA.by_pod
    several = DATA.model_copy(update={"by_pod": [pod.model_copy(update={"files": 3})]})
    table = index_pods_table(several)
    assert [*table.head] == ["Index pod", "Node", "File", "Documents", "MB", "Seconds"]
    assert [[*row[2:4]] for row in table.texts] == [["all 3", "7"], ["a|b.csv", "4"]]


def test_a_pod_with_one_file_is_one_row() -> None:
    assert [row[2] for row in index_pods_table(DATA).texts] == ["a|b.csv"]


def test_one_pod_without_files_has_no_table() -> None:
    assert not index_pods_table(DatasetStatus(by_pod=[POD]))
    assert len(index_pods_table(DatasetStatus(by_pod=[POD, POD])).rows) == 2


def test_report_says_what_was_cleaned() -> None:
    report = with_status(make_report(steps=1), dataset=DATA)
    text = "1 document: 2 control characters, 1 place that was not UTF-8"
    assert data_facts(report.as_benchmark)["Cleaned"] == text
    for output, file in ((to_markdown(report), "a\\|b.csv"), (render_html(report), "a|b.csv")):
        assert text in output
        assert file in output
        assert "Indexing by pod and file" in output


def test_backup_is_named_with_the_time_of_its_restore() -> None:
    status = {"dataset": {"documents": 7, "seconds": 40}}
    found = data_facts(SolrBenchmark.parse(resource(RESTORED) | {"status": status}))
    assert (found["Dataset"], found["Documents"]) == ("restored from a backup in 40 s", "7")


def test_external_ensemble_is_shown_by_its_members() -> None:
    members = "zk-0.zk.search.svc:2181"
    zookeeper = {"mode": "External", "connectionString": members}
    body = resource({"spec.target.solrCloud.zookeeper": zookeeper})
    assert target_facts(SolrBenchmark.parse(body))["ZooKeepers"] == members
    assert target_facts(SolrBenchmark.parse(resource()))["ZooKeepers"] == "1"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"replay": {}}, "replay, 60 s"),
        ({"requestsPerSecond": 4}, "4 requests/s planned, 60 s"),
        (
            {
                "requestsPerSecond": 4,
                "rateChanges": [{"atSeconds": 30, "requestsPerSecond": rate} for rate in (4, 8)],
            },
            "6 requests/s planned on average, 60 s",
        ),
    ],
)
def test_load_of_a_step_is_what_it_sends(step: dict[str, object], text: str) -> None:
    assert step_text(Step.model_validate({"durationSeconds": 60, **step})) == text


def test_collection_of_the_user_is_named_without_a_shape_that_is_unknown() -> None:
    assert target_facts(SolrBenchmark.parse(resource(use())))["Collection"] == "books, as it is"
    own = target_facts(SolrBenchmark.parse(resource(create())))
    assert own["Collection"] == "1 shard, 1 replica each (NRT)"
