"""Verdicts from the record of where pods ran."""

from solrbench.api.v1alpha1 import Spec
from support.results.validity.placement import APART, outcome
from unit.results.builders import make_spec
from unit.results.validity.documents import without_placement

ONE = {"solr": ["n1"], "load-master": ["n1"], "load-worker": ["n1"]}


def refusing() -> Spec:
    spec = make_spec("a")
    validity = spec.load.validity.model_copy(update={"allow_shared_nodes": False})
    return spec.model_copy(update={"load": spec.load.model_copy(update={"validity": validity})})


def test_pods_on_nodes_of_their_own_are_valid() -> None:
    assert outcome(APART) == ({}, {})


def test_load_beside_solr_is_invalid_in_any_attempt() -> None:
    beside = APART | {"load-worker": ["n2", "n3"]}
    expected = {
        "LoadSharesNodes": (
            "1 of 2 Kubernetes nodes with Solr pods also ran load pods: n2 (limit 0); taint nodes"
            " for Solr (target.solrCloud.tolerations), or set validity.allowSharedNodes"
        )
    }
    assert outcome(beside) == (expected, {})
    assert outcome(APART, beside) == (expected, {})
    # Nodes of different attempts were not shared.
    assert outcome(APART, {"solr": ["n3", "n4"], "load-worker": ["n1"]}) == ({}, {})


def test_solr_pods_on_one_node_are_invalid() -> None:
    reasons, gaps = outcome(APART | {"solr": ["n1"]})
    assert reasons == {
        "SolrSharesNodes": (
            "2 Solr pods ran on 1 Kubernetes nodes (limit 1 pod on each); add Kubernetes nodes,"
            " lower target.solrCloud.nodes, or set validity.allowSharedNodes"
        )
    }
    assert gaps == {}


def test_one_node_is_a_gap_unless_the_spec_decides() -> None:
    gap = "all pods ran on one Kubernetes node, where they share its CPUs"
    assert outcome(ONE) == ({}, {"LoadSharesNodes": gap})
    assert set(outcome(ONE, spec=refusing())[0]) == {"LoadSharesNodes", "SolrSharesNodes"}
    assert outcome(ONE, spec=without_placement(make_spec("a"))) == ({}, {})


def test_missing_record_is_a_gap() -> None:
    gap = "the Kubernetes nodes of the pods were not recorded"
    assert outcome() == ({}, {"LoadSharesNodes": gap})
