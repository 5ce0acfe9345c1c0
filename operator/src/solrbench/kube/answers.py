"""The stored answers of the points of a sweep, beside those of its baseline."""

from pydantic import ValidationError

from solrbench.analysis.answers.comparison import asks_queries, first_answers
from solrbench.api.identity import BENCHMARKS
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract.answers import StoredAnswers
from solrbench.contract.step_runs import all_step_runs
from solrbench.errors import TemporaryError
from solrbench.kube.client import Cluster
from solrbench.kube.result_documents import read_documents
from solrbench.reasons.load import LoadReason


def read_answers(cluster: Cluster, namespace: str, name: str) -> StoredAnswers | None:
    """Return the answers that a benchmark of a sweep has stored; None without any.

    They are in the first step run of all, so that no other document is read. A damaged one counts
    as none; `TemporaryError` if the API server does not respond.
    """
    body = cluster.get(*BENCHMARKS, namespace, name)
    try:
        benchmark = None if body is None else SolrBenchmark.parse(body)
    except ValidationError:  # of another version
        benchmark = None
    if benchmark is None or not asks_queries(benchmark.spec):
        return None
    first = next((str(each) for each in all_step_runs(benchmark.spec)), None)
    try:
        documents = read_documents(cluster, benchmark, lambda document: document, first)
    except TemporaryError as error:
        if error.reason is not LoadReason.REPORT_DAMAGED:
            raise
        return None
    return first_answers(documents)
