"""`spec.load.telemetry`: what is read of servers while steps are measured."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Int


class Collect(StrEnum):
    """What telemetry is made of."""

    SERVERS_AND_PODS = "ServersAndPods"
    SERVERS = "Servers"
    NONE = "None"


class LoadTelemetry(Model):
    """What the load master reads of servers while a step is measured."""

    collect: Collect = Collect.SERVERS
    """`collect` controls what is read. `Servers` reads Solr's metrics and, of an ensemble that the
    benchmark made, ZooKeeper's: heap, garbage collection, CPU, threads, caches, requests, index.
    `ServersAndPods` also reads the control groups of the pods that the benchmark makes for them:
    CPU, throttling, pressure stall, memory, page faults, disk and network. Each of these pods then
    has a small container of the operator's image, and its containers share their processes. `None`
    reads nothing; the results then name no bottleneck."""
    interval_seconds: Annotated[Int, Field(ge=1, le=3600)] = 10
    """`intervalSeconds` is the time between two readings; counters are read at the begin and the
    end of each step anyway."""
