"""Files in a volume or a ConfigMap, mounted into the pod."""

from collections.abc import Iterator
from typing import Any

from solrbench.api.v1alpha1.dataset import ConfigMapFiles, Dataset, PersistentVolumeClaim
from solrbench.dataset.sources.file_documents import read_files
from solrbench.dataset.sources.files import mounted_files
from solrbench.dataset.sources.partition import Partition
from solrbench.dataset.sources.source import ReadContext, source


@source(ConfigMapFiles)
def read_config_map(
    member: ConfigMapFiles, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the documents in keys of a ConfigMap."""
    return read_files(dataset, mounted_files(context.folder, member.keys), partition)


@source(PersistentVolumeClaim)
def read_volume(
    member: PersistentVolumeClaim, dataset: Dataset, partition: Partition, context: ReadContext
) -> Iterator[dict[str, Any]]:
    """Return the documents in files of a volume."""
    return read_files(dataset, mounted_files(context.folder, member.paths), partition)
