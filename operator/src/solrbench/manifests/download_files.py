"""What downloads require, mounted into the index pods: credentials and certificates."""

from solrbench.api.v1alpha1.dataset import Dataset
from solrbench.api.v1alpha1.download import DownloadTls, Http
from solrbench.manifests.common import Manifest
from solrbench.plan.auth_files import (
    CA_KEY,
    DOWNLOAD_CA_FOLDER,
    DOWNLOAD_CREDENTIALS_FOLDER,
    PASSWORD,
    TOKEN,
    USERNAME,
)


def add_download_files(dataset: Dataset, volumes: list[Manifest], mounts: list[Manifest]) -> None:
    """Mount what `dataset.http` refers to, only the keys named.

    The pod starts without them as well, so that it can say what is missing; the kubelet would only
    wait.
    """
    if dataset.http is None:
        return
    for name, folder, source in (
        ("download-credentials", DOWNLOAD_CREDENTIALS_FOLDER, _credentials(dataset.http)),
        ("download-ca", DOWNLOAD_CA_FOLDER, authorities_volume(dataset.http.tls)),
    ):
        if source is not None:
            volumes.append({"name": name, **source})
            mounts.append({"name": name, "mountPath": folder, "readOnly": True})


def _credentials(http: Http) -> Manifest | None:
    if http.auth is None:
        return None
    if http.auth.basic_secret is not None:
        return secret_volume(http.auth.basic_secret.name, {USERNAME: USERNAME, PASSWORD: PASSWORD})
    token = http.auth.bearer_secret
    return None if token is None else secret_volume(token.name, {token.key: TOKEN})


def authorities_volume(tls: DownloadTls | None) -> Manifest | None:
    """Return the source of a volume with the certificates to trust, if there are any."""
    if tls is None:
        return None
    if tls.ca_secret is not None:
        return secret_volume(tls.ca_secret.name, {tls.ca_secret.key: CA_KEY})
    found = tls.ca_config_map
    if found is None:
        return None
    items = [{"key": found.key, "path": CA_KEY}]
    return {"configMap": {"name": found.name, "items": items, "optional": True}}


def secret_volume(name: str, keys: dict[str, str]) -> Manifest:
    """Return the source of a volume with some keys of a Secret; it may lack any of them."""
    items = [{"key": key, "path": path} for key, path in keys.items()]
    source = {"secretName": name, "items": items, "defaultMode": 0o440, "optional": True}
    return {"secret": source}
