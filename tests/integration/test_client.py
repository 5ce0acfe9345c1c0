"""The operator's own client against the real API server."""

from ipaddress import ip_address

import pytest
from kubernetes import client

from solrbench.cluster.client import connect
from support.cluster.admission import reachable_api_server

pytestmark = pytest.mark.cluster


def test_api_server_reports_its_address() -> None:
    if reachable_api_server() is None:
        pytest.skip("no cluster")
    found = connect().server_hosts()
    slices = client.DiscoveryV1Api().list_namespaced_endpoint_slice(
        "default", label_selector="kubernetes.io/service-name=kubernetes"
    )
    behind = {
        each for part in slices.items for endpoint in part.endpoints for each in endpoint.addresses
    }
    assert behind
    assert behind & {str(ip_address(host)) for host in found[1:]}
