"""`spec.diagnostics`: what is taken from Solr's JVMs during one repeat."""

from typing import Annotated

from pydantic import Field

from solrbench.api.rules import Model
from solrbench.api.v1alpha1.fields import Int


class ThreadDumps(Model):
    """Thread dumps of every Solr node, of at most 8 nodes."""

    count: Annotated[Int, Field(ge=0, le=10)] = 3
    """`count` is the number of dumps of each node in each step."""
    interval_seconds: Annotated[Int, Field(ge=1, le=3600)] = 10
    """`intervalSeconds` is the time from the begin of a step to the first dump, and from each dump
    to the next; those due after the end of the step, or beyond 1 MiB packed, are left out."""


class FlightRecording(Model):
    """A recording of Java Flight Recorder in each step, of at most 2 Solr nodes."""

    duration_seconds: Annotated[Int, Field(ge=1, le=300)] = 30
    """`durationSeconds` is the time from the begin of a step that is recorded; one that ends
    before ends the recording. More than 1 MiB packed is not kept."""


class Diagnostics(Model):
    """What is taken in all steps of one repeat, whose times it may change."""

    repeat: Annotated[Int, Field(ge=1, le=100)] = 1
    """`repeat` is the repeat that it is taken in."""
    thread_dumps: ThreadDumps = ThreadDumps()
    """`threadDumps` says how often Solr is asked for what its threads do."""
    gc_log: bool = False
    """`gcLog` keeps what Solr's garbage collectors log during each step, of at most 8 nodes; pods
    need the agent for it, by load.telemetry.collect: ServersAndPods."""
    flight_recording: FlightRecording | None = None
    """`flightRecording` records what Solr's JVM does, from Java 17 on, with the settings `default`
    and without environment, properties and arguments; none when absent. It needs the agent, as
    `gcLog` does."""
