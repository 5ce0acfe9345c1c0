"""What the servers did in a step, and while the dataset was indexed."""

from typing import Annotated

from pydantic import Field

from solrbench.api.v1alpha1.conditions import Shown, StatusModel, StepPart, Unit, shown
from solrbench.api.v1alpha1.fields import Count, Measure, Text

MAX_MISSING = 4
"""Sentences on what could not be read, of one step."""


_Number = Measure | None


class SolrTelemetry(StatusModel):
    """What the Solr nodes did.

    Of several nodes it is the sum, of shares the worst node's. What was not measured is absent.
    """

    nodes: Count | None = shown(Unit.SERVERS, "solr_nodes")
    """Solr nodes that were read."""
    cpu_cores: _Number = shown(Unit.CORES, "solr_cpu_cores")
    """CPU time of all Solr processes, per second."""
    cpu_percent: _Number = shown(Unit.PERCENT, "solr_cpu_ratio")
    """CPU time of the busiest Solr process, of the CPUs that it may use."""
    heap_used_max_percent: _Number = shown(Unit.PERCENT, "solr_heap_used_max_ratio")
    """Largest share of the heap in use, of any node."""
    heap_after_gc_max_percent: _Number = shown(Unit.PERCENT, "solr_heap_after_gc_max_ratio")
    """Largest share of the heap in use after a garbage collection, of any node; absent until the
    old generation was collected once."""
    gc_percent: _Number = shown(Unit.PERCENT, "solr_gc_ratio")
    """Share of the time in which the collector stopped a node, of the worst node."""
    index_bytes: _Number = shown(Unit.BYTES, "solr_index_bytes")
    """Size of the index over all replicas."""
    segments: _Number = shown(Unit.SEGMENTS, "solr_segments")
    """Segments of the index over all replicas."""
    merges_per_second: _Number = shown(Unit.MERGES, "solr_merges_per_second")
    """Merges of segments that began; with Solr 9 absent unless the config set has metrics of
    merges."""
    throttled_percent: _Number = shown(Unit.PERCENT, "solr_pod_throttled_ratio")
    """Share of the periods in which the CPU limit stopped the worst pod of Solr."""
    memory_full_percent: _Number = shown(Unit.PERCENT, "solr_pod_memory_pressure_ratio")
    """Share of the time in which all threads of the worst pod of Solr waited for memory."""
    io_some_percent: _Number = shown(Unit.PERCENT, "solr_pod_io_pressure_ratio")
    """Share of the time in which a thread of the worst pod of Solr waited for its disk."""
    read_bytes_per_second: _Number = shown(Unit.BYTES_PER_SECOND, "solr_pod_read_bytes_per_second")
    """Bytes that all pods of Solr read from disk."""
    written_bytes_per_second: _Number = shown(
        Unit.BYTES_PER_SECOND, "solr_pod_written_bytes_per_second"
    )
    """Bytes that all pods of Solr wrote to disk: index, merges and update log."""
    missing: Annotated[list[Text], Field(max_length=MAX_MISSING), Shown(Unit.NONE)] = []
    """What could not be read, and why."""


class StepTelemetry(SolrTelemetry, StepPart):
    """What the servers did in one step: means over its repeats."""

    cpu_milliseconds_per_request: _Number = shown(Unit.MILLISECONDS, "solr_cpu_seconds_per_request")
    """CPU time of all Solr processes for each query that a node got from outside."""
    heap_after_gc_max_bytes: _Number = shown(Unit.BYTES, "solr_heap_after_gc_max_bytes")
    """Largest heap in use after a garbage collection, of any node."""
    gc_per_second: _Number = shown(Unit.COLLECTIONS, "solr_gc_collections_per_second")
    """Garbage collections per second, of the node with the most."""
    solr_requests_per_second: _Number = shown(Unit.RATE, "solr_requests_per_second")
    """Queries that nodes got from outside."""
    request_errors: _Number = shown(Unit.REQUESTS, "solr_request_errors")
    """Requests that ended with an error, in the handlers with the most time."""
    threads_runnable: _Number = shown(Unit.THREADS, "solr_threads_runnable")
    """Threads that run or could run, mean of the worst node."""
    jetty_queue_max: _Number = shown(Unit.REQUESTS, "solr_jetty_queue_max")
    """Most requests that waited for one of Jetty's threads, of any node."""
    threads_blocked: _Number = shown(Unit.THREADS, "solr_threads_blocked")
    """Threads that wait for a lock, mean of the worst node."""
    jetty_busy_max_percent: _Number = shown(Unit.PERCENT, "solr_jetty_busy_max_ratio")
    """Largest share of Jetty's threads that were busy, of any node."""
    filter_cache_hit_percent: _Number = shown(Unit.PERCENT, "solr_filter_cache_hit_ratio")
    """Hits among the lookups in the filter cache."""
    query_result_cache_hit_percent: _Number = shown(
        Unit.PERCENT, "solr_query_result_cache_hit_ratio"
    )
    """Hits among the lookups in the query result cache."""
    document_cache_hit_percent: _Number = shown(Unit.PERCENT, "solr_document_cache_hit_ratio")
    """Hits among the lookups in the document cache."""
    cache_evictions_per_second: _Number = shown(Unit.EVICTIONS, "solr_cache_evictions_per_second")
    """Entries that these caches evicted."""
    cache_inserts_per_second: _Number = shown(Unit.EVICTIONS, "solr_cache_inserts_per_second")
    """Entries that these caches took in."""
    cache_entries: _Number = shown(Unit.ENTRIES, "solr_cache_entries")
    """Entries in these caches at the end."""
    deleted_documents: _Number = shown(Unit.DOCUMENTS, "solr_deleted_documents")
    """Deleted documents in the index."""
    zookeeper_latency_milliseconds: _Number = shown(Unit.MILLISECONDS, "zookeeper_latency_seconds")
    """Mean latency of the reads and updates that ZooKeeper served meanwhile."""
    zookeeper_outstanding_max: _Number = shown(Unit.REQUESTS, "zookeeper_outstanding_requests_max")
    """Most requests that waited in one ZooKeeper server."""
    zookeeper_watches: _Number = shown(Unit.WATCHES, "zookeeper_watches")
    """Watches of all ZooKeeper servers."""
    zookeeper_connections: _Number = shown(Unit.CONNECTIONS, "zookeeper_connections")
    """Connections to all ZooKeeper servers."""
    zookeeper_cpu_cores: _Number = shown(Unit.CORES, "zookeeper_pod_cpu_cores")
    """CPU time of all pods of ZooKeeper, per second."""
    zookeeper_throttled_percent: _Number = shown(Unit.PERCENT, "zookeeper_pod_throttled_ratio")
    """Share of the periods in which the CPU limit stopped the worst pod of ZooKeeper."""
    zookeeper_working_set_max_bytes: _Number = shown(
        Unit.BYTES, "zookeeper_pod_working_set_max_bytes"
    )
    """Largest memory of any pod of ZooKeeper that cannot be dropped at once."""
    pod_cpu_user_cores: _Number = shown(Unit.CORES, "solr_pod_cpu_user_cores")
    """CPU time of all pods of Solr outside the kernel, per second."""
    pod_cpu_system_cores: _Number = shown(Unit.CORES, "solr_pod_cpu_system_cores")
    """CPU time of all pods of Solr in the kernel, per second."""
    cpu_limit_percent: _Number = shown(Unit.PERCENT, "solr_pod_cpu_limit_ratio")
    """CPU time of the busiest pod of Solr, of its limit; absent without one."""
    cpu_some_percent: _Number = shown(Unit.PERCENT, "solr_pod_cpu_pressure_ratio")
    """Share of the time in which a thread of the worst pod of Solr waited for a CPU."""
    memory_some_percent: _Number = shown(Unit.PERCENT, "solr_pod_memory_some_pressure_ratio")
    """Share of the time in which a thread of the worst pod of Solr waited for memory."""
    io_full_percent: _Number = shown(Unit.PERCENT, "solr_pod_io_full_pressure_ratio")
    """Share of the time in which all threads of the worst pod of Solr waited for its disk."""
    working_set_max_bytes: _Number = shown(Unit.BYTES, "solr_pod_working_set_max_bytes")
    """Largest memory of any pod of Solr that cannot be dropped at once."""
    page_cache_bytes: _Number = shown(Unit.BYTES, "solr_pod_page_cache_bytes")
    """Files of all pods of Solr that are kept in memory."""
    major_faults_per_second: _Number = shown(Unit.FAULTS, "solr_pod_major_faults_per_second")
    """Page faults of the worst pod of Solr that read the disk."""
    read_bytes_per_request: _Number = shown(Unit.BYTES, "solr_pod_read_bytes_per_request")
    """Bytes that all pods of Solr read from disk for each query."""
    read_bytes_deviation: _Number = shown(Unit.BYTES, "solr_pod_read_bytes_deviation")
    """Standard deviation of these bytes over the repeats; absent with one repeat."""
    reads_per_request: _Number = shown(Unit.READS, "solr_pod_reads_per_request")
    """Reads of the disk by all pods of Solr for each query."""
    reads_per_second: _Number = shown(Unit.OPERATIONS, "solr_pod_reads_per_second")
    """Reads of the disk by all pods of Solr."""
    writes_per_second: _Number = shown(Unit.OPERATIONS, "solr_pod_writes_per_second")
    """Writes to the disk by all pods of Solr."""
    network_received_bytes_per_second: _Number = shown(
        Unit.BYTES_PER_SECOND, "solr_pod_network_received_bytes_per_second"
    )
    """Bytes that all pods of Solr received."""
    network_bytes_per_second: _Number = shown(
        Unit.BYTES_PER_SECOND, "solr_pod_network_sent_bytes_per_second"
    )
    """Bytes that all pods of Solr sent."""
    companion_cpu_cores: _Number = shown(Unit.CORES, "companion_pod_cpu_cores")
    """CPU time of all pods of companions, per second."""
    companion_throttled_percent: _Number = shown(Unit.PERCENT, "companion_pod_throttled_ratio")
    """Share of the periods in which the CPU limit stopped the worst pod of companions."""
    companion_cpu_some_percent: _Number = shown(Unit.PERCENT, "companion_pod_cpu_pressure_ratio")
    """Share of the time in which a thread of the worst pod of companions waited for a CPU."""
    companion_working_set_max_bytes: _Number = shown(
        Unit.BYTES, "companion_pod_working_set_max_bytes"
    )
    """Largest memory of any pod of companions that cannot be dropped at once."""
    companion_network_bytes_per_second: _Number = shown(
        Unit.BYTES_PER_SECOND, "companion_pod_network_sent_bytes_per_second"
    )
    """Bytes that all pods of companions sent."""
    load_cpu_cores: _Number = shown(Unit.CORES, "load_pod_cpu_cores")
    """CPU time of all pods of the load master and the load workers, per second."""
    load_throttled_percent: _Number = shown(Unit.PERCENT, "load_pod_throttled_ratio")
    """Share of the periods in which the CPU limit stopped the worst pod of the load."""
    load_cpu_some_percent: _Number = shown(Unit.PERCENT, "load_pod_cpu_pressure_ratio")
    """Share of the time in which a thread of the worst pod of the load waited for a CPU."""
    load_working_set_max_bytes: _Number = shown(Unit.BYTES, "load_pod_working_set_max_bytes")
    """Largest memory of any pod of the load that cannot be dropped at once."""
    load_network_bytes_per_second: _Number = shown(
        Unit.BYTES_PER_SECOND, "load_pod_network_sent_bytes_per_second"
    )
    """Bytes that all pods of the load sent."""
    machine_cpu_percent: _Number = shown(Unit.PERCENT, "machine_cpu_ratio")
    """CPU time of all processes on the busiest machine."""
    machine_steal_percent: _Number = shown(Unit.PERCENT, "machine_steal_ratio")
    """CPU time that the host took from that machine."""
    machine_cpu_some_percent: _Number = shown(Unit.PERCENT, "machine_cpu_pressure_ratio")
    """Share of the time in which a thread on the worst machine waited for a CPU."""
    machine_io_some_percent: _Number = shown(Unit.PERCENT, "machine_io_pressure_ratio")
    """Share of the time in which a thread on the worst machine waited for a disk."""
    machine_memory_full_percent: _Number = shown(Unit.PERCENT, "machine_memory_pressure_ratio")
    """Share of the time in which all threads on the worst machine waited for memory."""
    machine_page_cache_bytes: _Number = shown(Unit.BYTES, "machine_page_cache_bytes")
    """Files that the machine with the most of them keeps in memory."""


class IndexingTelemetry(SolrTelemetry):
    """What the Solr nodes did while the first index pod sent its documents."""

    seconds: _Number = shown(Unit.SECONDS, "solr_read_seconds")
    """Time from the first reading to the last."""
    updates_per_second: _Number = shown(Unit.DOCUMENTS_PER_SECOND, "solr_updates_per_second")
    """Documents that all replicas together took in, per second."""
    merge_threads: _Number = shown(Unit.THREADS, "solr_merge_threads")
    """Threads that merge segments, mean over the readings."""
    merge_stalled_percent: _Number = shown(Unit.PERCENT, "solr_merge_stalled_ratio")
    """Share of the updates under way that wait because more merges are due than may run at once,
    of the worst node."""
    flush_stalled_percent: _Number = shown(Unit.PERCENT, "solr_flush_stalled_ratio")
    """The same of those that wait until segments are written."""
    commits_per_second: _Number = shown(Unit.OPERATIONS, "solr_commits_per_second")
    """Commits of all replicas, hard and soft."""
    soft_auto_commits_per_second: _Number = shown(
        Unit.OPERATIONS, "solr_soft_auto_commits_per_second"
    )
    """Those of them that were soft and began by themselves."""
    pending_documents_max: _Number = shown(Unit.DOCUMENTS, "solr_pending_documents_max")
    """Most documents that waited for a commit on one node."""


MAX_INDEXING_SERIES = 8
MAX_INDEXING_POINTS = 40


class IndexingSeries(StatusModel):
    """One figure of the busiest node while the dataset was indexed."""

    server: Text
    """`server` is the host and port of the node."""
    figure: Text
    """`figure` is its name, with the unit at the end."""
    seconds: Annotated[list[Measure], Field(max_length=MAX_INDEXING_POINTS)] = []
    """`seconds` are the middle of each window, from the node's first reading on."""
    values: Annotated[list[Measure], Field(max_length=MAX_INDEXING_POINTS)] = []
    """`values` has one number for each window."""
