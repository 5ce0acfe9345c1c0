"""The agent beside Solr, ZooKeeper and auxiliary pods: a small container of our image.

It reads the server's control group through `/proc`, for which the containers of the pod share their
processes and their user. It has no rights that the server does not have.
"""

from solrbench.api.v1alpha1 import SolrBenchmark
from solrbench.contract import names
from solrbench.contract.endpoints import reads_pods
from solrbench.contract.load_plan import TOKEN
from solrbench.manifests.common import (
    Manifest,
    OperatorImage,
    config_map,
    container_security,
    headless_service,
    metadata,
)

AGENT_RESOURCES = {"cpu": "50m", "memory": "64Mi"}
"""Requests and limits alike, so that a pod whose server has them alike stays `Guaranteed`.
Measured: 20 MB resident, and 5 ms of CPU for each reading."""


def build_agent_token(benchmark: SolrBenchmark, attempt: int, token: str) -> Manifest:
    """Return the ConfigMap with the token of all agents of an attempt of the target."""
    return config_map(metadata(benchmark, names.SOLR, attempt), data={TOKEN: token})


def add_agents(
    benchmark: SolrBenchmark, image: OperatorImage, manifests: list[Manifest]
) -> list[Manifest]:
    """Return manifests whose pods have the agent, if the benchmark reads its pods."""
    if not reads_pods(benchmark):
        return manifests
    diagnostics = benchmark.spec.diagnostics
    recorded = diagnostics is not None and diagnostics.flight_recording is not None
    token = {"configMapKeyRef": {"name": names.child(benchmark, names.SOLR), "key": TOKEN}}
    variable = {"name": names.AGENT_TOKEN, "valueFrom": token}
    return [_with_agent(each, image, variable, may_record=recorded) for each in manifests]


def add_companion_agents(
    benchmark: SolrBenchmark, image: OperatorImage, manifests: list[Manifest], attempt: int
) -> list[Manifest]:
    """Return the same of companions, with a Service that finds the agents of all their pods."""
    if not reads_pods(benchmark):
        return manifests
    ports = {"usage": names.AGENT_PORT}
    service = headless_service(benchmark, names.COMPANION, attempt, ports)
    return [service, *add_agents(benchmark, image, manifests)]


def _with_agent(
    manifest: Manifest, image: OperatorImage, token: Manifest, *, may_record: bool
) -> Manifest:
    spec = manifest.get("spec", {})
    match manifest["kind"]:
        case "StatefulSet" | "Deployment":
            of_solr = manifest["metadata"]["labels"][names.LABEL_COMPONENT] == names.SOLR
            template = spec["template"]
            agent = _container(image, token, may_record=may_record and of_solr)
            # As another user it could not read the `/proc` entries of the server's processes.
            own = template["spec"]["containers"][0]["securityContext"]
            ids = {key: own[key] for key in ("runAsUser", "runAsGroup") if key in own}
            agent["securityContext"] |= ids
            pod = _pod_with_agent(template["spec"], "containers", image, agent)
            return manifest | {"spec": spec | {"template": template | {"spec": pod}}}
        case "SolrCloud":
            agent = _container(image, token, may_record=may_record)
            options = spec["customSolrKubeOptions"]
            pod = _pod_with_agent(options["podOptions"], "sidecarContainers", image, agent)
            changed = options | {"podOptions": pod}
            return manifest | {"spec": spec | {"customSolrKubeOptions": changed}}
        case _:
            return manifest


def _pod_with_agent(
    pod: Manifest, containers: str, image: OperatorImage, agent: Manifest
) -> Manifest:
    secrets = [*pod.get("imagePullSecrets", []), *({"name": each} for each in image.pull_secrets)]
    # The list is merged by name: apply refuses one that has a name twice.
    unique = list({secret["name"]: secret for secret in secrets}.values())
    return {
        **pod,
        containers: [*pod.get(containers, []), agent],
        "shareProcessNamespace": True,
        **({"imagePullSecrets": unique} if unique else {}),
    }


def _container(image: OperatorImage, token: Manifest, *, may_record: bool) -> Manifest:
    command = ["python3", "-m", "solrbench.telemetry.agent", str(names.AGENT_PORT)]
    return {
        "name": names.AGENT,
        "image": image.reference,
        "imagePullPolicy": image.pull_policy,
        # Not the command of the image, which loads all of it.
        "command": [*command, names.AGENT_RECORDS] if may_record else command,
        "env": [token],
        "ports": [{"name": "usage", "containerPort": names.AGENT_PORT}],
        "resources": {"requests": AGENT_RESOURCES, "limits": AGENT_RESOURCES},
        "securityContext": container_security(),
    }
