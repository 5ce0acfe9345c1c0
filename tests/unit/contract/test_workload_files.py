from solrbench.api.v1alpha1.workload import Workload
from solrbench.contract.workload_files import once_only_entries, sources, workload_seeds

QUERIES = {"configMap": {"name": "q"}, "seed": 4}
MIX = Workload.model_validate(
    {
        "seed": 2,
        "mix": [
            {"name": "a", "queries": QUERIES},
            {"name": "b", "updates": {"generated": {"seed": 9}}},
            {"name": "c", "transaction": {"requests": [{"name": "r"}]}},
            {"name": "d", "transaction": {"requests": [{"name": "r"}], "inputs": QUERIES}},
            {"name": "e", "updates": {"configMap": {"name": "docs"}}},
        ],
    }
)


def test_every_list_has_a_path_and_a_folder() -> None:
    assert [(each.path, each.folder) for each in sources(MIX)] == [
        ("workload.mix[0].queries", "mix-0"),
        ("workload.mix[1].updates", "mix-1"),
        ("workload.mix[3].transaction.inputs", "mix-3"),
        ("workload.mix[4].updates", "mix-4"),
    ]
    warmed = Workload.model_validate({"queries": QUERIES, "warmUpQueries": QUERIES})
    assert [(each.path, each.folder) for each in sources(warmed)] == [
        ("workload.queries", ""),
        ("workload.warmUpQueries", "warm-up"),
    ]


def test_every_seed_is_known_by_its_path() -> None:
    assert workload_seeds(MIX) == {
        "workload.seed": 2,
        "workload.mix[0].queries.seed": 4,
        "workload.mix[1].updates.generated.seed": 9,
        "workload.mix[3].transaction.inputs.seed": 4,
    }


def test_finite_entries_are_found_in_mixes_and_transactions() -> None:
    once = QUERIES | {"order": "Once"}
    requests = [{"name": "read", "parameters": {"q": "*:*"}}]
    mix = [
        {"name": "search", "queries": QUERIES},
        {"name": "once", "queries": once},
        {"name": "each", "transaction": {"inputs": once, "requests": requests}},
        {"name": "fixed", "transaction": {"requests": requests}},
    ]
    assert once_only_entries(Workload.model_validate({"mix": mix})) == (False, True, True, False)
    assert once_only_entries(Workload.model_validate({"queries": once})) == (True,)
    assert once_only_entries(Workload.model_validate({"queries": QUERIES})) == (False,)
