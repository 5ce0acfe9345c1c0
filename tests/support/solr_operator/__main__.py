"""The process: both doubles in one namespace, until it is ended."""

import argparse
import os
import sys
import threading

from support.solr_operator import names
from support.solr_operator.controller import Controller, Source
from support.solr_operator.names import parse_copy
from support.solr_operator.objects import Objects
from support.solr_operator.solr_clouds import SolrClouds
from support.solr_operator.zookeeper import ZookeeperClusters

SOLR_SOURCES: list[Source] = [
    (names.SOLR_CLOUD, "", names.name_of),
    *(
        (kind, "technology=solr-cloud", lambda body: body["metadata"]["labels"].get("solr-cloud"))
        for kind in (names.STATEFUL_SET, names.POD)
    ),
]
ZOOKEEPER_SOURCES: list[Source] = [
    (names.ZOOKEEPER_CLUSTER, "", names.name_of),
    *(
        (kind, "technology=zookeeper", lambda body: body["metadata"]["labels"].get("app"))
        for kind in (names.STATEFUL_SET, names.POD)
    ),
]


def _end_with_the_suite() -> None:
    """End when standard input does: a suite that was killed leaves no double at work."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """Run until the process is ended."""
    parser = argparse.ArgumentParser(prog="solr_operator")
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--image", action="append", type=parse_copy, default=[])
    options = parser.parse_args()
    threading.Thread(target=_end_with_the_suite, daemon=True).start()
    objects, copies = Objects(options.namespace), dict(options.image)
    solr = Controller(SolrClouds(objects, copies).reconcile)
    zookeeper = Controller(ZookeeperClusters(objects, copies).reconcile)
    threads = [
        *solr.start(objects, SOLR_SOURCES),
        *zookeeper.start(objects, ZOOKEEPER_SOURCES),
    ]
    print("watching", flush=True)
    for thread in threads:
        thread.join()


main()
