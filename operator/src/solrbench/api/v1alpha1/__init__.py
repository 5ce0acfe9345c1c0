"""Version v1alpha1 of the API group solrbench.io.

Fields may be added as optional ones only: kopf has no conversion webhook, so every stored
resource must stay readable.
"""

from solrbench.api.identity import GROUP, KIND, PLURAL, VERSION
from solrbench.api.v1alpha1.benchmark import Metadata, SolrBenchmark, Spec
from solrbench.api.v1alpha1.status import Status

__all__ = ["GROUP", "KIND", "PLURAL", "VERSION", "Metadata", "SolrBenchmark", "Spec", "Status"]
