"""Every name and label of every object, in one place.

Names are deterministic: a pass that was cut short finds its own children again.
"""

from solrbench.api.v1alpha1 import GROUP, SolrBenchmark

MANAGER = "solrbench-operator"
"""Field manager of server-side apply, and value of `app.kubernetes.io/managed-by`."""

LABEL_BENCHMARK = f"{GROUP}/benchmark"
LABEL_COMPONENT = "app.kubernetes.io/component"
LABEL_ATTEMPT = f"{GROUP}/attempt"
LABEL_PASS = f"{GROUP}/pass"

SOLR = "solr"
SOLR_COMMON = "solr-common"
"""Name of the Service over all Solr nodes; its component is `SOLR`."""
ZOOKEEPER = "zookeeper"
INDEX = "index"
LOAD_MASTER = "load-master"
LOAD_WORKER = "load-worker"
REPORT = "report"
COMPONENTS = (SOLR, ZOOKEEPER, INDEX, LOAD_MASTER, LOAD_WORKER, REPORT)

SOLR_PORT = 8983
ZOOKEEPER_PORT = 2181


def child(benchmark: SolrBenchmark, component: str) -> str:
    """Return the name of the one child object of a kind that serves `component`."""
    return f"{benchmark.metadata.name}-{component}"


def selector(benchmark: SolrBenchmark, component: str) -> dict[str, str]:
    """Return the labels that pick the pods of one component."""
    return {LABEL_BENCHMARK: benchmark.metadata.name, LABEL_COMPONENT: component}


def selector_text(benchmark: SolrBenchmark, component: str) -> str:
    """Return the same as kubectl takes it."""
    return ",".join(f"{key}={value}" for key, value in selector(benchmark, component).items())


def labels(benchmark: SolrBenchmark, component: str, attempt: int) -> dict[str, str]:
    """Return the labels of a child object."""
    return {
        "app.kubernetes.io/name": "solrbench",
        "app.kubernetes.io/instance": benchmark.metadata.name,
        "app.kubernetes.io/managed-by": MANAGER,
        LABEL_ATTEMPT: str(attempt),
        **selector(benchmark, component),
    }


def collection(benchmark: SolrBenchmark) -> str:
    """Return the name of the collection and of its config set."""
    return benchmark.metadata.name


def solr_hosts(benchmark: SolrBenchmark, nodes: int) -> list[str]:
    """Return the host name of every Solr node, in the order of the ordinals."""
    service = child(benchmark, SOLR)
    return [f"{service}-{i}.{service}.{benchmark.metadata.namespace}.svc" for i in range(nodes)]


def solr_urls(benchmark: SolrBenchmark, nodes: int) -> list[str]:
    """Return the base URL of every Solr node."""
    return [f"http://{host}:{SOLR_PORT}/solr" for host in solr_hosts(benchmark, nodes)]


def solr_service_url(benchmark: SolrBenchmark) -> str:
    """Return the base URL of the Service over all Solr nodes, the one that balances by itself."""
    service = child(benchmark, SOLR_COMMON)
    return f"http://{service}.{benchmark.metadata.namespace}.svc:{SOLR_PORT}/solr"


def zookeeper_hosts(benchmark: SolrBenchmark, replicas: int) -> list[str]:
    """Return the host name of every ZooKeeper; ordinals start at 1, as ZooKeeper's ids do."""
    service = child(benchmark, ZOOKEEPER)
    return [
        f"{service}-{i}.{service}.{benchmark.metadata.namespace}.svc"
        for i in range(1, replicas + 1)
    ]


def zookeeper_connection(benchmark: SolrBenchmark, replicas: int) -> str:
    """Return the connection string of the ensemble."""
    hosts = zookeeper_hosts(benchmark, replicas)
    return ",".join(f"{host}:{ZOOKEEPER_PORT}" for host in hosts)


def report(benchmark: SolrBenchmark, pass_id: str, chunk: int) -> str:
    """Return the name of a report ConfigMap."""
    return f"{benchmark.metadata.name}-report-{pass_id}-{chunk}"


def environment(benchmark: SolrBenchmark) -> str:
    """Return the name of the ConfigMap that records what a benchmark ran on."""
    return f"{benchmark.metadata.name}-report-environment"
