"""The real API server, and a namespace in it for the tests of a module."""

import secrets
from collections.abc import Iterator

import pytest

from support.cluster.admission import ApiServer, reach_api_server
from support.cluster.renamed_kinds import RenamedKinds, renamed_kinds


@pytest.fixture(scope="module")
def server() -> ApiServer:
    """The API server, with the definition of benchmarks."""
    found = reach_api_server()
    found.install_definition()
    return found


@pytest.fixture(scope="module")
def namespace(server: ApiServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace that is named after the module and admits only restricted pods."""
    name = f"{request.path.stem.removeprefix('test_').replace('_', '-')}-{secrets.token_hex(4)}"
    server.create_restricted_namespace(name)
    yield name
    server.delete_namespace(name)


@pytest.fixture(scope="module")
def cluster() -> Iterator[RenamedKinds]:
    """The API server with kinds of the module's own, where no operator looks."""
    with renamed_kinds() as found:
        yield found
