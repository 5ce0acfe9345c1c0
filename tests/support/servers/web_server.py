"""A web server in a pod, for datasets over HTTP: Python's own, from the image under test."""

import subprocess
from pathlib import Path

from support.cluster import kube

PORT = 8000
FOLDER = "/srv"


def start(name: str, claim: str | None = None, command: list[str] | None = None) -> str:
    """Start a web server (or `command`, at `PORT`) over a folder or volume; return its address."""
    command = command or ["python3", "-m", "http.server", str(PORT), "-d", FOLDER]
    volume = {"persistentVolumeClaim": {"claimName": claim}} if claim else {"emptyDir": {}}
    image = kube.items("deployments", "app.kubernetes.io/name=solr-benchmark-operator")[0]
    container = image["spec"]["template"]["spec"]["containers"][0]
    labels = {"app": name}
    kube.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "automountServiceAccountToken": False,
                "securityContext": {
                    "runAsNonRoot": True,
                    "fsGroup": 65532,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "containers": [
                    {
                        "name": "web",
                        "image": container["image"],
                        "imagePullPolicy": container["imagePullPolicy"],
                        "command": command,
                        "readinessProbe": {"tcpSocket": {"port": PORT}, "periodSeconds": 1},
                        "volumeMounts": [{"name": "files", "mountPath": FOLDER}],
                        "securityContext": {
                            "allowPrivilegeEscalation": False,
                            "capabilities": {"drop": ["ALL"]},
                            "readOnlyRootFilesystem": True,
                        },
                    }
                ],
                "volumes": [{"name": "files", **volume}],
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {"selector": labels, "ports": [{"port": PORT}]},
        },
    )
    kube.kubectl("wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")
    return f"http://{name}.{kube.NAMESPACE}.svc:{PORT}"


def put(name: str, file: Path) -> None:
    """Copy a file into the server's folder."""
    command = ["kubectl", "-n", kube.NAMESPACE, "exec", "-i", name, "--"]
    command += ["sh", "-c", f"cat > {FOLDER}/{file.name}"]
    with file.open("rb") as stream:
        subprocess.run(command, stdin=stream, check=True, timeout=120)


def stop(name: str) -> None:
    kube.kubectl("delete", "pod,service", name, "--grace-period=1", "--ignore-not-found")
