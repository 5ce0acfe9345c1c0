"""How the objects of companions refer to each other, and to what is not theirs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from solrbench.plan.companions.objects import CompanionObject, ConfigMap, Deployment, Service


@dataclass(frozen=True)
class BundleScope:
    """For whom manifests are read, and what the operator's settings allow in them.

    Attributes:
        benchmark_name: of whose objects they become
        namespace: of the benchmark
        values: values of the names that the operator gives, those of Services apart
        allows_secrets: whether variables may come from Secrets
        allows_labels: whether pods may have labels of the user's

    """

    benchmark_name: str
    namespace: str
    values: Mapping[str, str]
    allows_secrets: bool = False
    allows_labels: bool = True


@dataclass(frozen=True)
class CompanionBundle:
    """The objects to make.

    Attributes:
        deployments: their pods are waited for
        services: variants may name them
        config_maps: mounted into the pods

    """

    deployments: tuple[Deployment, ...]
    services: tuple[Service, ...]
    config_maps: tuple[ConfigMap, ...]

    @property
    def pods(self) -> int:
        """Number of pods of all Deployments."""
        return sum(each.spec.replicas for each in self.deployments)


def find_problems(
    body: CompanionObject, bundle: CompanionBundle, scope: BundleScope
) -> Iterator[str]:
    """Yield what is wrong with an object among the others."""
    if isinstance(body, Deployment):
        yield from _deployment_problems(body, bundle, scope)
    elif isinstance(body, Service) and not any(selects(body, each) for each in bundle.deployments):
        yield (
            "spec.selector must be labels of a Deployment of the companions, or be left out for the"
            " Deployment of the same name"
        )


def selects(service: Service, deployment: Deployment) -> bool:
    """Return whether a Service leads to the pods of a Deployment."""
    if not service.spec.selector:
        return service.metadata.name == deployment.metadata.name
    return service.spec.selector.items() <= deployment.spec.template.metadata.labels.items()


def _deployment_problems(
    body: Deployment, bundle: CompanionBundle, scope: BundleScope
) -> Iterator[str]:
    template, own = body.spec.template, {each.metadata.name for each in bundle.config_maps}
    if not body.spec.selector.match_labels.items() <= template.metadata.labels.items():
        yield "spec.selector.matchLabels must be among spec.template.metadata.labels"
    if template.metadata.labels and not scope.allows_labels:
        yield "spec.template.metadata.labels must not be set, the operator's settings do not allow"
    for name in _config_maps(body):
        if name not in own:
            yield f"ConfigMap {name} must be among the companions"
    for container in template.spec.all_containers:
        for variable in container.env or ():
            source = variable.value_from
            if (
                source is not None
                and source.secret_key_ref is not None
                and not scope.allows_secrets
            ):
                yield (
                    f"env {variable.name} must not come from a Secret, the operator's settings do"
                    " not allow env.valueFrom.secretKeyRef"
                )
        for mount in container.volume_mounts or ():
            if mount.name not in {each.name for each in template.spec.volumes}:
                yield f"volumeMounts: there is no volume {mount.name}"


def _config_maps(body: Deployment) -> Iterator[str]:
    spec = body.spec.template.spec
    for volume in spec.volumes:
        if volume.config_map is not None:
            yield volume.config_map.name
    for container in spec.all_containers:
        for variable in container.env or ():
            source = variable.value_from
            if source is not None and source.config_map_key_ref is not None:
                yield source.config_map_key_ref.name
