import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from chart.rendering import (
    CASES,
    CHART,
    NAMESPACE,
    VALUES,
    container,
    deployment,
    helm,
    of_kind,
    rendered,
    settings,
    template,
)
from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.controller.settings import Settings
from solrbench.decide.references import POD_OPTIONS
from solrbench.manifests.common import OperatorImage
from solrbench.manifests.network_policies import PolicyPeers

BAD_VALUES = {
    "typo=1": "typo",
    "image.repositry=x": "repositry",  # codespell:ignore repositry
    "image.pullPolicy=Sometimes": "pullPolicy",
    "image.digest=sha256:12": "digest",
    "concurrency=0": "concurrency",
    "existingTargets.allowedHosts={http://search}": "allowedHosts",
    "exports.allowedHosts={http://s3}": "allowedHosts",
    "benchmarkPods.allowedOptions={hostNetwork}": "allowedOptions",
    "logging.level=TRACE": "level",
    "health.port=80": "health",
    "metrics.serviceMonitor.interval=soon": "interval",
    "watchNamespaces={*,team}": "watchNamespaces",
    "watchNamespaces={Team}": "watchNamespaces",
    "networkPolicy.apiServerPorts={}": "apiServerPorts",
    # A label has 63 characters, and the Job adds `-uninstall`.
    f"nameOverride={'n' * 54}": "nameOverride",
}


@pytest.mark.parametrize("case", CASES)
def test_helm_lint_passes(case: str) -> None:
    done = helm(
        "lint", "--strict", str(CHART), "-f", str(VALUES / f"{case}.yaml"), "--kube-version", "1.31"
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("setting", "field"), BAD_VALUES.items())
def test_schema_refuses_bad_values(setting: str, field: str) -> None:
    done = template("--set", setting)
    assert done.returncode != 0
    assert "don't meet the specifications of the schema" in done.stderr
    assert field in done.stderr


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("metrics.port=8080", "metrics.port must differ from health.port, both are 8080"),
        *(
            (f"metrics.enabled=false,metrics.{each}=true", f"metrics.{each} needs metrics.enabled")
            for each in ("serviceMonitor.enabled", "prometheusRule.enabled")
        ),
        *(
            (
                rf"{each}.app\.kubernetes\.io/version=2",
                f"{each} must not contain app.kubernetes.io/version, the chart sets it",
            )
            for each in (
                "podLabels",
                "metrics.serviceMonitor.labels",
                "metrics.prometheusRule.labels",
            )
        ),
    ],
)
def test_values_that_contradict_each_other_are_refused(setting: str, words: str) -> None:
    done = template("--set-string" if "kubernetes" in setting else "--set", setting)
    assert done.returncode != 0
    assert words in done.stderr


@pytest.mark.parametrize("case", CASES)
def test_every_object_has_the_usual_labels(case: str) -> None:
    for each in rendered(case):
        if each["kind"] != "CustomResourceDefinition":
            labels = each["metadata"]["labels"]
            assert labels["app.kubernetes.io/instance"] == "try"
            assert labels["app.kubernetes.io/managed-by"] == "Helm"


def test_names_of_digits_are_texts() -> None:
    names = ["watchNamespaces={789}", "nameOverride=12", "priorityClassName=4"]
    switches = ["imagePullSecrets[0].name=5", "fullnameOverride=6", "serviceAccount.name=7"]
    policies = [f"networkPolicy.{each}enabled=true" for each in ("", "benchmarks.")]
    values = [part for each in (*names, *switches) for part in ("--set-string", each)]
    values += [part for each in policies for part in ("--set", each)]
    done = helm("template", "123", str(CHART), "-n", "456", "--kube-version", "1.31.0", *values)
    assert done.returncode == 0, done.stderr
    assert (
        re.findall(r"(?:name|namespace|instance|Name|value): \d+$", done.stdout, re.MULTILINE) == []
    )
    assert 'resourceNames: ["6"]' in done.stdout


@pytest.mark.parametrize("case", CASES)
def test_selectors_pick_the_operator_alone(case: str) -> None:
    picked = deployment(case)["spec"]["selector"]["matchLabels"]
    labels = deployment(case)["spec"]["template"]["metadata"]["labels"]
    (test_pod,), (job,) = of_kind(case, "Pod"), of_kind(case, "Job")
    assert picked.items() <= labels.items()
    for other in (test_pod, job["spec"]["template"]):
        assert not picked.items() <= other["metadata"]["labels"].items()
    for service in of_kind(case, "Service"):
        assert service["spec"]["selector"] == picked


@pytest.mark.parametrize("case", CASES)
def test_the_job_of_the_uninstallation_reads_the_settings_of_the_operator(case: str) -> None:
    (job,) = of_kind(case, "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-delete"
    pod = job["spec"]["template"]["spec"]
    (container_,) = pod["containers"]
    assert container_["args"][0] == "uninstall"
    assert container_["env"] == container(case)["env"]
    operator = deployment(case)["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == operator["serviceAccountName"]
    seconds = int(container_["args"][2])
    assert job["spec"]["activeDeadlineSeconds"] > seconds
    assert (job["spec"]["activeDeadlineSeconds"] + 30) < 300  # `helm uninstall` waits so long


def test_the_job_of_the_uninstallation_can_be_left_out() -> None:
    done = template("--set", "uninstall.enabled=false")
    assert (done.returncode, "pre-delete" in done.stdout) == (0, False), done.stderr


@pytest.mark.parametrize("case", CASES)
def test_replicas_hold_one_lease_and_are_replaced_together(case: str) -> None:
    spec, found = deployment(case)["spec"], settings(case)
    replicas = 2 if case == "every_namespace" else 1
    assert (spec["replicas"], spec["strategy"]) == (replicas, {"type": "Recreate"})
    assert found.lease == deployment(case)["metadata"]["name"]
    assert found.operator_namespace == NAMESPACE
    affinity = spec["template"]["spec"].get("affinity", {})
    assert ("podAntiAffinity" in affinity) == (replicas > 1)


def _selected(case: str) -> Any:
    return deployment(case)["spec"]["selector"]["matchLabels"]


def test_the_operator_reads_its_settings_as_they_were_meant() -> None:
    assert settings("default") == Settings(
        namespaces=(NAMESPACE,),
        image=OperatorImage("solrbench:0.1.0"),
        log_format="json",
        lease="try-solr-benchmark-operator",
        operator_namespace=NAMESPACE,
        policy_peers=PolicyPeers(NAMESPACE, _selected("default")),
    )
    assert settings("everything") == Settings(
        namespaces=("team-a", "team-b"),
        image=OperatorImage("solrbench:1.2.3", "Always"),
        concurrency=2,
        allowed_hosts=("*.svc", "search.example.org"),
        dataset_hosts=("files.example.org",),
        dataset_secrets=True,
        allowed_pod_options=("labels", "serviceAccountName", "env", "env.valueFrom.secretKeyRef"),
        metrics_port=9191,
        log_format="json",
        lease="bench",
        operator_namespace=NAMESPACE,
        policy_peers=PolicyPeers(NAMESPACE, _selected("everything"), opens_nodes=False),
    )
    minimal = settings("minimal")
    assert minimal.allowed_pod_options == ()
    assert (minimal.metrics_port, minimal.health_port) == (0, 8181)
    assert (minimal.log_format, minimal.log_level) == ("text", "WARNING")
    assert settings("every_namespace").namespaces == ()


def test_every_pod_option_may_be_allowed() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    values = schema["properties"]["benchmarkPods"]["properties"]["allowedOptions"]["items"]["enum"]
    assert values == list(POD_OPTIONS)


@pytest.mark.parametrize("case", CASES)
def test_ports_are_those_of_the_settings(case: str) -> None:
    ports = {each["name"]: each["containerPort"] for each in container(case)["ports"]}
    found = settings(case)
    assert ports.pop("health") == found.health_port
    assert ports == ({"metrics": found.metrics_port} if found.metrics_port else {})
    (service,) = of_kind(case, "Service")
    for port in service["spec"]["ports"]:
        assert port["targetPort"] in {each["name"] for each in container(case)["ports"]}
        assert container(case)["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}


def test_secrets_of_the_registry_are_passed_on() -> None:
    assert settings("minimal").image.pull_secrets == ("registry",)


def test_images_by_digest_are_passed_on() -> None:
    image = "registry.example.org:5000/search/solrbench@sha256:" + 64 * "0"
    assert container("minimal")["image"] == settings("minimal").image.reference == image


def test_definition_is_kept_by_default() -> None:
    kept, sweeps = of_kind("default", "CustomResourceDefinition")
    dropped, _ = of_kind("everything", "CustomResourceDefinition")
    assert sweeps["spec"]["names"]["kind"] == "SolrBenchmarkSweep"
    assert kept["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert "annotations" not in dropped["metadata"]
    assert of_kind("minimal", "CustomResourceDefinition") == []


def test_the_pod_takes_what_the_values_say() -> None:
    template_ = deployment("everything")["spec"]["template"]
    assert template_["metadata"]["annotations"] == {"example.org/note": "on"}
    assert template_["metadata"]["labels"]["team"] == "search"
    spec = template_["spec"]
    (test_pod,), (job,) = of_kind("everything", "Pod"), of_kind("everything", "Job")
    for placed in (spec, test_pod["spec"], job["spec"]["template"]["spec"]):
        assert placed["nodeSelector"] == {"kubernetes.io/os": "linux"}
        assert placed["tolerations"] == [{"key": "dedicated", "operator": "Exists"}]
    assert spec["affinity"] == {"nodeAffinity": {}}
    assert spec["priorityClassName"] == "tools"


def _notes(folder: Path, case: str) -> str:
    """Return the notes, put into a ConfigMap because `helm template` does not print them."""
    chart = shutil.copytree(CHART, folder / "chart")
    (chart / "templates" / "notes.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\n"
        'data: {notes: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}}\n'
    )
    show = ("--show-only", "templates/notes.yaml", "-f", str(VALUES / f"{case}.yaml"))
    done = template(*show, "--api-versions", "monitoring.coreos.com/v1", chart=chart)
    assert done.returncode == 0, done.stderr
    return str(yaml.safe_load(done.stdout)["data"]["notes"])


def test_the_notes_hold_a_benchmark_that_can_be_applied(tmp_path: Path) -> None:
    notes = _notes(tmp_path, "default")
    text = re.search(r"<<'EOF'\n(.*?)\n +EOF", notes, re.DOTALL)
    assert text is not None
    assert SolrBenchmark.parse(yaml.safe_load(text[1])).metadata.name == "first"
    assert f"--namespace {NAMESPACE}" in notes
    assert "WARNING" not in notes


def test_the_notes_warn_of_benchmarks_side_by_side(tmp_path: Path) -> None:
    assert "WARNING: concurrency is 2" in _notes(tmp_path, "everything")


def test_the_example_of_the_package_index_can_be_applied() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    (example,) = yaml.safe_load(about["annotations"]["artifacthub.io/crdsExamples"])
    assert SolrBenchmark.parse(example).metadata.name == "three-nodes"


def test_old_clusters_are_refused() -> None:
    done = template("--kube-version", "1.28.9")
    assert done.returncode != 0
    assert "kubeVersion: >=1.29.0-0" in done.stderr


def _leaves(values: dict[str, Any], above: str = "") -> list[str]:
    names = []
    for key, value in values.items():
        whole = {"resources", "podSecurityContext", "securityContext"}
        deeper = isinstance(value, dict) and value and key not in whole
        names += _leaves(value, f"{above}{key}.") if deeper else [f"{above}{key}"]
    return names


def test_the_readme_lists_every_value() -> None:
    readme = (CHART / "README.md").read_text()
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    listed = re.findall(r"^\| `([A-Za-z.]+)` \|", readme, re.MULTILINE)
    assert sorted(listed) == sorted(_leaves(values))
