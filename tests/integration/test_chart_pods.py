"""The API server lets every pod of the chart into a restricted namespace."""

import pytest

from chart.rendering import CASES, of_kind
from support.cluster.admission import ApiServer

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("case", CASES)
def test_every_pod_is_let_in(server: ApiServer, namespace: str, case: str) -> None:
    specs = [each["spec"]["template"]["spec"] for each in of_kind(case, "Deployment")]
    specs += [each["spec"] for each in of_kind(case, "Pod")]
    # The account and the priority class are the installer's: they are not in this namespace.
    foreign = {"serviceAccountName", "priorityClassName"}
    for number, spec in enumerate(specs):
        kept = {key: value for key, value in spec.items() if key not in foreign}
        place = {"name": f"pod-{number}", "namespace": namespace}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": place, "spec": kept}
        assert server.try_apply(pod)["spec"]["containers"]
