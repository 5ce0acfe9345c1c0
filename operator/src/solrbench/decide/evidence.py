"""Pods, events and replicas in words, cut to what is kept of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from solrbench.decide.evidence.masking import clean
from solrbench.decide.pods.creation import event_time
from solrbench.decide.solr_views import Replica
from solrbench.decide.views import ContainerView, PodView

MAX_BYTES = 256 << 10
"""What is kept of all failures of a benchmark; a ConfigMap holds 1 MiB."""

MAX_ENTRY_BYTES = 64 << 10
"""What is kept of one failure."""

MAX_LOG_BYTES = 8 << 10
"""What is kept of the end of one log."""

MAX_EVENTS = 20
MAX_REPLICAS = 200
_MAX_NAME = 200


def has_problem(pod: PodView) -> bool:
    """Return whether a pod is not simply running or done."""
    if pod.phase == "Succeeded":
        return False
    return not pod.ready or pod.deleting or any(each.restarts for each in pod.containers)


def has_log(container: ContainerView) -> bool:
    """Return whether a container has run, and did more than a step of the start that went well."""
    if container.waiting_reason and not container.ended_reason:
        return False
    return container.exit_code != 0 or container.restarts > 0


def without_words(pod: PodView) -> PodView:
    """Return a pod without what its containers wrote at their end."""
    silent = tuple(replace(each, termination_message="") for each in pod.containers)
    return replace(pod, containers=silent)


def describe_pod(pod: PodView) -> str:
    """Return what the API server knows of a pod, a line for each container."""
    state = "ready" if pod.ready else "not ready"
    facts = [f"pod {pod.name} ({pod.component}): {pod.phase}, {state}", f"attempt {pod.attempt}"]
    facts += [f"node {pod.node}"] if pod.node else []
    facts += ["being deleted"] if pod.deleting else []
    facts += [_flat(each) for each in (pod.reason, pod.message, pod.unschedulable) if each]
    return "\n".join([", ".join(facts), *map(_describe_container, pod.containers)])


def _describe_container(container: ContainerView) -> str:
    parts = [f"  container {container.name}: {container.restarts} restarts"]
    if container.waiting_reason:
        parts.append(f"waits: {container.waiting_reason} {_flat(container.waiting_message)}")
    if container.ended_reason:
        ended = "" if container.ended is None else f" at {container.ended.isoformat()}"
        parts.append(f"ended{ended}: {container.ended_reason}, exit code {container.exit_code}")
    if container.termination_message:
        parts.append(f"last words: {_flat(container.termination_message)}")
    return ", ".join(each.rstrip() for each in parts)


def describe_events(title: str, events: Iterable[Mapping[str, Any]]) -> str:
    """Return the latest events, oldest first; empty if there are none."""
    ordered = sorted(map(dict, events), key=event_time)[-MAX_EVENTS:]
    lines = [
        f"  {event_time(each).isoformat()} {each.get('type', '')} {each.get('reason', '')}"
        f" x{each.get('count') or 1}: {_flat(each.get('message') or '')}"
        for each in ordered
    ]
    return "\n".join([f"events of {title}:", *lines]) if lines else ""


def describe_log(title: str, text: str, max_bytes: int = MAX_LOG_BYTES) -> str:
    """Return the end of a log in whole lines."""
    kept: list[str] = []
    left = max_bytes
    for line in reversed(text.splitlines()):
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([f"log of {title}, last {len(kept)} lines:", *reversed(kept)])


def describe_collection(name: str, live: Sequence[str], replicas: Sequence[Replica]) -> str:
    """Return live nodes, shards and replicas as Solr reports them."""
    lines = [f"collection {name}: {len(live)} live nodes, {len(replicas)} replicas"]
    lines += [f"  live: {_flat(each)[:_MAX_NAME]}" for each in live[:MAX_REPLICAS]]
    lines += [f"  {_describe_replica(each)}" for each in replicas[:MAX_REPLICAS]]
    return "\n".join(lines)


def _describe_replica(replica: Replica) -> str:
    words = [replica.shard, replica.core, replica.type, replica.state, replica.node]
    shard, core, kind, state, node = (_flat(each)[:_MAX_NAME] for each in words)
    return f"{shard} {core} {kind}{' leader' if replica.leader else ''} on {node}: {state}"


def join_sections(sections: Iterable[str], max_bytes: int = MAX_ENTRY_BYTES) -> str:
    """Return the sections that fit, the first ones first, and how many do not."""
    kept: list[str] = []
    left, dropped = max_bytes - 100, 0
    for section in (clean(each) for each in sections if each):
        size = len(section.encode()) + 2
        if size > left:
            dropped += 1
            continue
        kept.append(section)
        left -= size
    note = [f"{dropped} sections left out, limit {max_bytes} bytes"] if dropped else []
    return "\n\n".join([*kept, *note]) + "\n"


def add_entry(
    entries: Mapping[str, str], key: str, text: str, max_bytes: int = MAX_BYTES
) -> dict[str, str]:
    """Return the entries with another one; the oldest go where all would be too large.

    Args:
        entries: by key, oldest first by their text, which begins with the time
        key: of the new entry; one that is there is replaced
        text: of the new entry
        max_bytes: of all texts together

    """
    earlier = sorted((kept, name) for name, kept in entries.items() if name != key)
    found = {name: kept for kept, name in earlier} | {key: text}
    while len(found) > 1 and sum(len(each.encode()) for each in found.values()) > max_bytes:
        del found[next(iter(found))]
    return found


def _flat(text: object) -> str:
    """Return a message on one line; its length is the API server's, and `mask` cuts the line."""
    return " ".join(str(text).split())
