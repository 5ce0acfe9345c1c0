"""An API server of a test's own on loopback: with etcd, but without controllers and nodes.

Objects in it may have any names, also those of the whole cluster, and nothing becomes of them.
"""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.harness.processes import started, wait_until
from bench.servers.running import free_port
from chart.programs import find_program
from support.servers.certificates import authority, server_files

SECONDS = 60
ETCD = """
etcd --data-dir={folder}/etcd --listen-client-urls={etcd} --advertise-client-urls={etcd}
 --listen-peer-urls={peers} --initial-advertise-peer-urls={peers} --initial-cluster=default={peers}
"""
# The controller that makes accounts is not there.
API_SERVER = """
kube-apiserver --etcd-servers={etcd} --bind-address=127.0.0.1 --secure-port={port}
 --tls-cert-file={certificate} --tls-private-key-file={key} --token-auth-file={folder}/tokens.csv
 --authorization-mode=AlwaysAllow --disable-admission-plugins=ServiceAccount
 --service-account-issuer=https://127.0.0.1 --service-account-key-file={key}
 --service-account-signing-key-file={key} --service-cluster-ip-range=10.0.0.0/24
 --endpoint-reconciler-type=none
"""
KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{{name: own, cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: {signer}}}}}]
users: [{{name: admin, user: {{token: secret}}}}]
contexts: [{{name: own, context: {{cluster: own, user: admin}}}}]
current-context: own
"""  # noqa: E501  one entry a line


@contextmanager
def own_api_server(folder: Path) -> Iterator[Path]:
    """Run it while the test goes on; give a kubeconfig of a user who may do everything."""
    signer = authority(folder, "authority")
    certificate, key = server_files(folder, "authority", "127.0.0.1")
    etcd, peers = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    names = {"etcd": etcd, "peers": peers, "port": str(free_port()), "folder": str(folder)}
    names |= {"signer": str(signer), "certificate": str(certificate), "key": str(key)}
    (folder / "tokens.csv").write_text("secret,admin,admin,system:masters\n")
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG.format(**names))
    ready = [find_program("kubectl"), f"--kubeconfig={kubeconfig}", "get", "--raw", "/readyz"]
    with ExitStack() as stack:
        for text in (ETCD, API_SERVER):
            program, *options = (word.format(**names) for word in text.split())
            command, log = [find_program(program), *options], folder / f"{program}.log"
            process = stack.enter_context(started(command, log))
            stack.callback(process.kill)  # nothing of it is kept
        wait_until(
            lambda: not subprocess.run(ready, check=False, capture_output=True).returncode,
            SECONDS,
            f"the API server; see {folder}",
        )
        yield kubeconfig
