from solrbench.api.v1alpha1 import SolrBenchmark, Status
from solrbench.api.v1alpha1.status.bottleneck import Bottleneck
from solrbench.results.answers.collect import collect_answers
from support.resources.small_resource import resource


def test_a_step_that_is_held_back_is_an_answer() -> None:
    spec = SolrBenchmark.model_validate(resource()).spec
    found = Bottleneck(
        step="one", resource="Cpu", message="99 % used", field="target.solrCloud.nodes"
    )
    assert collect_answers(spec, Status(bottlenecks=[found])) == [
        "one is held back by the CPU of Solr: 99 % used; vary target.solrCloud.nodes next"
    ]
