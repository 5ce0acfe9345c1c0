import base64
import json

from solrbench.contract.storage import ChunkedDocument
from solrbench.manifests.results import build_environment, build_report
from support.resources.objects import stored

TWO = ChunkedDocument((b"\x00first", b"second"), "5" * 64)


def test_one_config_map_for_each_chunk() -> None:
    first, second = build_report(stored(), "r1-s0-one", TWO, 1)
    assert first["metadata"]["name"] == "base-report-r1-s0-one-55555555-0"
    assert second["metadata"]["name"] == "base-report-r1-s0-one-55555555-1"
    assert base64.b64decode(first["binaryData"]["document.json.gz"]) == b"\x00first"
    assert base64.b64decode(second["binaryData"]["document.json.gz"]) == b"second"


def test_each_chunk_names_step_run_number_of_chunks_and_digest() -> None:
    for each in build_report(stored(), "r1-s0-one", TWO, 1):
        assert each["metadata"]["labels"]["solrbench.io/step-run"] == "r1-s0-one"
        assert each["metadata"]["annotations"] == {
            "solrbench.io/chunks": "2",
            "solrbench.io/bytes": "6",
            "solrbench.io/sha256": "5" * 64,
        }


def test_the_environment_is_kept_as_json() -> None:
    manifest = build_environment(stored(), '{"solr": "9.10.1"}')
    assert manifest["metadata"]["name"] == "base-report-environment"
    assert json.loads(manifest["data"]["environment.json"]) == {"solr": "9.10.1"}
    assert "solrbench.io/step-run" not in manifest["metadata"]["labels"]
