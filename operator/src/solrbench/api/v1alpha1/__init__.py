"""Version v1alpha1 of the API group solrbench.io.

Fields may be added as optional ones only: kopf has no conversion webhook, so every stored
resource must stay readable.

- `benchmark`: the whole resource; `spec`: what is wished
- `sweep`: the resource over several benchmarks
- `target`, `load`, `workload`: parts of the spec with many models
- `collection`, `companions`, `comparison`, `dataset`, `export`, `images`, `pod`: its other
  parts
- `fields`: types of single fields
- `rules`: rules that span several parts
- `status`: what was observed
"""

from solrbench.api.identity import GROUP, KIND, PLURAL, VERSION
from solrbench.api.v1alpha1.benchmark import Metadata, SolrBenchmark
from solrbench.api.v1alpha1.spec import Spec
from solrbench.api.v1alpha1.status.status import Status

__all__ = [
    "GROUP",
    "KIND",
    "PLURAL",
    "VERSION",
    "Metadata",
    "SolrBenchmark",
    "Spec",
    "Status",
]
