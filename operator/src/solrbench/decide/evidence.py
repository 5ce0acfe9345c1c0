"""Failure diagnostics as text: pods, events and replicas, cut in length, Secrets taken out.

The values of Secrets are known; what else looks like a credential is found by its form. Too much is
masked rather than too little.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from solrbench.decide.pods import event_time
from solrbench.decide.views import ContainerView, PodView, Replica

MASK = "***"

MAX_LINE = 2000
"""Characters of a line that are kept, which also limits the time that a pattern takes."""

USERNAME = "username"
"""Key of a Secret of type kubernetes.io/basic-auth that is no secret: it may be `solr`."""

_SHORT = 4
"""Values of fewer characters are masked only where they are whole words."""

MAX_SEARCHED = 1000
"""Long values that a text is searched for: 20,000, lines of a Secret, took 8 s for one log."""

_TABLE = 1 << 20

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,20}(?:token|key))"
    r"([\"']{0,2}\s{0,3}[:=]).*",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(Basic|Bearer)\s{1,3}[A-Za-z0-9+/=._~-]{6,}", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    r"(passw(?:or)?d|passphrase|secret|api[-_]?key|private[-_]?key|basic[-_]?auth|credentials?"
    r"|[-_.]pass|(?:access|auth|refresh|session|id)[-_]?token|\btoken(?=[\"']?\s{0,3}[=:]))"
    r"([\w.-]{0,40}\\?[\"']?\s{0,3}[=:]\s{0,3})"
    r"(\\?\"[^\"]*\"?|'[^']*'?|[^\s,;&\"']+)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\S+")
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def secret_names(pod: Mapping[str, Any]) -> set[str]:
    """Return the Secrets whose values the containers of a pod may know.

    Pull secrets are not among them: the kubelet alone uses those.
    """
    return set(_references(pod.get("spec") or {}))


def _references(part: Any) -> Iterable[str]:
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key in ("secretKeyRef", "secretRef", "secret") and isinstance(value, dict):
                name = value.get("secretName") or value.get("name")
                yield from [name] if name else []
            elif key != "imagePullSecrets":
                yield from _references(value)


def secret_values(secret: Mapping[str, Any]) -> set[str]:
    """Return the values of a Secret as text, in each form in which they may be written."""
    data: Mapping[str, str] = secret.get("data") or {}
    texts = {
        key: base64.b64decode(value).decode("utf-8", "replace").strip()
        for key, value in data.items()
    }
    values: set[str] = set()
    for key, text in texts.items():
        if key != USERNAME and text:
            lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= 2 * _SHORT}
            values |= {
                text,
                quote(text, safe=""),
                quote_plus(text),
                json.dumps(text)[1:-1],
                _base64(text),
                *lines,
            }
    user = texts.get(USERNAME, "")
    pairs = [f"{user}:{text}" for key, text in texts.items() if key != USERNAME]
    return values | {_base64(pair) for pair in pairs}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


def mask(text: str, values: Iterable[str]) -> str:
    """Return the text without the values, and without what looks like a credential."""
    known = sorted(values, key=len, reverse=True)
    # Twice: a value may hold a control character, or be interrupted by one.
    text = _mask_values(clean(_mask_values(text, known)), known)
    text = _PRIVATE_KEY.sub(MASK, text)
    return "\n".join(_mask_line(_cut(line)) for line in text.splitlines())


def clean(text: str) -> str:
    """Return the text without what would make YAML write it on a single line.

    That are tabs, control characters, colours of a terminal, and blanks at the end of lines.
    """
    lines = _COLOUR.sub("", text).replace("\t", "    ").splitlines()
    return "\n".join("".join(filter(str.isprintable, line)).rstrip() for line in lines)


def _mask_values(text: str, values: Sequence[str]) -> str:
    long = [value for value in values if len(value) >= _SHORT]
    if len(long) > MAX_SEARCHED:
        long = _candidates(text, long)
    if len(long) > MAX_SEARCHED:
        return f"(omitted: it may hold {len(long)} values of Secrets)"
    for value in long:
        text = text.replace(value, MASK)
    for length in range(_SHORT - 1, 0, -1):
        text = _mask_words(text, {value for value in values if len(value) == length}, length)
    return text


def _mask_words(text: str, words: set[str], length: int) -> str:
    """Return the text without words of one length: in one pass, however many there are."""
    if not words:
        return text
    parts, end = [], 0
    # Looked ahead, not consumed: a word may begin within what only looks like one.
    for match in re.finditer(rf"(?s)(?<!\w)(?=(.{{{length}}})(?!\w))", text):
        if match[1] in words and match.start() >= end:
            parts += [text[end : match.start()], MASK]
            end = match.start() + length
    return "".join([*parts, text[end:]])


def _candidates(text: str, values: Sequence[str]) -> list[str]:
    """Return the values whose begin and end may be in a text, in their order; no other value is."""
    # By hash into a table of fixed size: a set of all parts would take 100 times the text.
    table = bytearray(_TABLE)
    for at in range(len(text) - _SHORT + 1):
        table[hash(text[at : at + _SHORT]) % _TABLE] = 1
    return [
        value
        for value in values
        if table[hash(value[:_SHORT]) % _TABLE] and table[hash(value[-_SHORT:]) % _TABLE]
    ]


def _cut(line: str) -> str:
    """Cut a long line before the word at its end, which may be the begin of a credential."""
    if len(line) <= MAX_LINE:
        return line
    return f"{line[:MAX_LINE].rpartition(' ')[0]}…"


def _mask_line(line: str) -> str:
    line = _HEADER.sub(rf"\1\2 {MASK}", line)
    line = _SCHEME.sub(rf"\1 {MASK}", line)
    line = _ASSIGNMENT.sub(rf"\1\2{MASK}", line)
    return _TOKEN.sub(_mask_user_info, line)


def _mask_user_info(found: re.Match[str]) -> str:
    """Mask the user and password of a URL, RFC 3986 3.2.1, even if it holds a slash."""
    token = found.group()
    start, end = token.find("://"), token.rfind("@")
    return f"{token[: start + 3]}{MASK}{token[end:]}" if 0 <= start < end else token


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
    return not pod.ready or pod.deleting or any(container.restarts for container in pod.containers)


def has_log(container: ContainerView) -> bool:
    """Return whether a container has run, and did more than a step of the start that went well."""
    if container.waiting_reason and not container.ended_reason:
        return False
    return container.exit_code != 0 or container.restarts > 0


def without_words(pod: PodView) -> PodView:
    """Return a pod without what its containers wrote at their end."""
    silent = tuple(replace(container, termination_message="") for container in pod.containers)
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
    shard, core, kind, state, node = (_flat(word)[:_MAX_NAME] for word in words)
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
    note = [f"{dropped} sections omitted, limit {max_bytes} bytes"] if dropped else []
    return "\n\n".join([*kept, *note]) + "\n"


def add_entry(
    entries: Mapping[str, str], key: str, text: str, max_bytes: int = MAX_BYTES
) -> dict[str, str]:
    """Return the entries with another one; the oldest go where all would be too large.

    Entries are older the smaller their text is, which begins with the time. One of the same key is
    replaced.
    """
    earlier = sorted((kept, name) for name, kept in entries.items() if name != key)
    all_entries = {name: kept for kept, name in earlier} | {key: text}
    while (
        len(all_entries) > 1
        and sum(len(entry.encode()) for entry in all_entries.values()) > max_bytes
    ):
        del all_entries[next(iter(all_entries))]
    return all_entries


def _flat(text: object) -> str:
    """Return a message on one line; its length is the API server's, and `mask` cuts the line."""
    return " ".join(str(text).split())
