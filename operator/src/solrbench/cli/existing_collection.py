"""`solrbench init --from`: a benchmark file made of a collection that is there already.

Solr is only read, within the limits of `SolrClient`. What is taken from its responses is a number,
or quoted by YAML or JSON, or cleaned by `_plain`, so no name of it can add a line to the file.
"""

import json
import os
import re
import textwrap
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import click
import yaml

from solrbench.api.solr_versions import is_supported
from solrbench.cli.query_log import logged_requests
from solrbench.errors import SolrbenchError
from solrbench.net.http import NO_AUTH, HttpAuth, basic_auth
from solrbench.query_log.statistics import query_lines
from solrbench.reasons.lifecycle import LifecycleReason
from solrbench.reasons.target import TargetReason
from solrbench.solr import cluster
from solrbench.solr.client import SolrClient
from solrbench.solr.config_set import ARCHIVE_KEY, flatten_properties, zip_files
from solrbench.solr.responses import (
    Collections,
    CollectionState,
    Config,
    Fields,
    Files,
    Found,
    Terms,
    UniqueKey,
)

PASSWORD = "SOLRBENCH_SOLR_PASSWORD"  # noqa: S105  the name of a variable
"""Variable with the password of --user, which command lines would show to others."""

_REMEDIES = {
    LifecycleReason.AUTHENTICATION_FAILED: "give a user who may read collections, schema and config"
    f" by --user, and the password by {PASSWORD}",
    LifecycleReason.REDIRECT_REFUSED: "give the URL that it points to",
    LifecycleReason.CERTIFICATE_NOT_TRUSTED: "read it by http, such as by kubectl port-forward, and"
    " give the URL of the pods by --url",
    TargetReason.SOLR_UNREACHABLE: "check host and port; the URL of a node ends with /solr",
}
_SECONDS = 30.0  # of one request: counting the words of a field takes a large index its time
_MAX_LINES, _MAX_BYTES = 2000, 512 << 10  # a ConfigMap may have 1 MiB, and people read the file
_MAX_FIELDS, _MAX_TERM, _MAX_NAMES, _MAX_DIGITS = 5, 100, 10, 10
_MAX_FILES, _MAX_UNPACKED = 500, 16 << 20  # of a config set; its zip has _MAX_BYTES at most


def make_file(answers: dict[str, Any]) -> str:
    """Return the text of a file that measures a collection of the Solr `answers["source"]`.

    `click.ClickException`, one line with a remedy, says that Solr or the log cannot be read.
    """
    base, bench, log = answers["source"].rstrip("/"), answers["name"], answers["log"]
    if "@" in base:
        raise click.UsageError("--from must not hold a user; give it by --user")
    auth = NO_AUTH
    if user := answers["user"]:
        asked = f"Password of {user}"
        password = os.environ.get(PASSWORD) or click.prompt(asked, hide_input=True, err=True)
        auth = HttpAuth(basic_auth(user, password))
    with _as_one_line(), SolrClient([base], _SECONDS, auth) as solr:
        name, state = _find(solr, base, answers["collection"])
        head, solr_cloud, collection, key = _read(solr, name, state)
        words = [] if log else [_line(each) for each in _words(solr, name, key)]
        config_set = b"" if answers["target"] == "existing" else _config_set(solr, name)
    lines = _logged(log) if log else words
    if log and not lines:
        raise click.ClickException(
            f"{log}: no request of /select that fits into the file; `solrbench log {log}` shows"
            " others, of which --handler and --write make a query file"
        )
    if not lines:
        click.echo(f"Warning: no words of {name!r} were found; give queries by --log", err=True)
    head = f"Made by `solrbench init --from {base}` of the collection {_plain(name)}: {head}"
    if answers["target"] == "existing":
        login = {"basicAuth": {"secret": {"name": f"{bench}-login"}}} if auth is not NO_AUTH else {}
        policy = {"collectionPolicy": "UseExisting", "collectionName": name}
        urls = {"urls": [answers["url"] or base]}
        spec: dict[str, Any] = {"target": {"existing": urls | login | policy}}
        head += " Allowed hosts, and Secrets of logins: docs/existing-targets.md."
    else:
        claim = {"claimName": f"{bench}-documents", "paths": ["*.jsonl"]}
        collection["configSet"] = {"configMap": {"name": f"{bench}-config"}}
        spec = {
            "target": {"solrCloud": {"provisioner": answers["target"]} | solr_cloud},
            "collection": collection,
            "dataset": {"persistentVolumeClaim": claim, "idField": key},
        }
        head += f" Fill in first: documents on the claim {bench}-documents, or another dataset"
        if not config_set:
            head += (
                "; and the config set, by `bin/solr zk downconfig`, a zip of its files, and"
                f" `kubectl create configmap {bench}-config --from-file={ARCHIVE_KEY}`"
            )
        head += "."
    text = _render(head, lines or ['{"q": "*:*"}'], spec, answers)
    return text + _config_map(f"{bench}-config", config_set) if config_set else text


@contextmanager
def _as_one_line() -> Iterator[None]:
    try:
        yield
    except SolrbenchError as error:
        # What follows is a remedy for the fields of a resource.
        text = error.message.partition("; ")[0]
        other = "give the URL of a SolrCloud" if "SolrCloud mode" in text else "see the log of Solr"
        remedy = _REMEDIES.get(error.reason, other)
        raise click.ClickException(f"{text}; {remedy}") from error


def _find(solr: SolrClient, base: str, wanted: str | None) -> tuple[str, CollectionState]:
    """Return the collection that is wanted, or the only one, with what Solr knows of it."""
    names = sorted(solr.get("/admin/collections", Collections, {"action": "LIST"}).names)
    name = wanted or (names[0] if len(names) == 1 else "")
    if name and (state := cluster.collection_state(solr, cluster.resolve_alias(solr, name))):
        return name, state
    shown = ", ".join(map(_plain, names[:_MAX_NAMES])) or "none"
    problem = f"no collection {wanted}" if wanted else f"{len(names)} collections"
    raise click.ClickException(f"{base} has {problem}; choose by --collection: {shown}")


def _read(
    solr: SolrClient, name: str, state: CollectionState
) -> tuple[str, dict[str, Any], dict[str, Any], str]:
    """Return a collection in words, as `solrCloud` and `collection` of a spec, and its key."""
    identities = list(cluster.node_identities(solr).values())
    version, heap = identities[0].solr_version, max(each.heap_max_bytes for each in identities)
    if not is_supported(version):
        raise click.ClickException(f"Solr {_plain(version)} cannot be measured; 9 and 10 can")
    # Parents of a split shard stay until they are deleted.
    shards = [each for each in state.shards.values() if each.state != "inactive"]
    if not any(shard.replicas for shard in shards):
        raise click.ClickException(f"collection {_plain(name)} has no replicas; see Solr's log")
    placed = [[*shard.replicas.values()] for shard in shards]
    kinds = Counter(each.type.lower() for each in max(placed, key=len))
    nodes = len({replica.node_name for shard in placed for replica in shard})
    zookeepers = cluster.zookeepers(solr) or 1
    key = solr.get(f"/{name}/schema/uniquekey", UniqueKey).name
    every = {"q": "*:*", "rows": "0", "defType": "lucene"}
    documents = solr.get(f"/{name}/select", Found, every).documents
    solr_cloud = {
        "image": {"tag": version},
        # Two replicas of a shard may share a node there, and must not here.
        "nodes": max(nodes, kinds.total()),
        "heap": f"{heap >> 20}Mi",
        # Members form a majority: of four, three are as good.
        "zookeeper": {"replicas": min(7, zookeepers - 1 | 1)},
    }
    collection = {
        "shards": len(shards),
        "replicas": dict(kinds),
        "router": state.router.model_dump(exclude_none=True),
        "caches": _caches(solr.get(f"/{name}/config", Config).sections),
    }
    each_shard = _plain(" and ".join(f"{kinds[kind]} {kind.upper()}" for kind in kinds))
    head = (
        f"Solr {_plain(version)}, heap {heap >> 20} MiB; {len(shards)} shards, each with"
        f" {each_shard} replicas, on {nodes} nodes; {zookeepers} ZooKeepers; config set"
        f" {_plain(state.config_set)}; unique key {_plain(key)}; {documents:,} documents."
    )
    return head, solr_cloud, collection, key


def _caches(config: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the numbers of each cache; Solr writes them as texts, shares such as 50 % are none."""
    properties, found = flatten_properties(config), dict[str, dict[str, int]]()
    for name in ("filter", "queryResult", "document", "fieldValue"):
        for key in ("size", "initialSize", "autowarmCount"):
            value = str(properties.get(f"query.{name}Cache.{key}"))
            if value.isdecimal() and len(value) < _MAX_DIGITS:
                found.setdefault(name, {})[key] = int(value)
    return found


def _config_set(solr: SolrClient, name: str) -> bytes:
    """Return the config set as a zip; empty if Solr gives none, or one that is too large."""
    path, files, folders = f"/{name}/admin/file", dict[str, bytes](), [""]
    try:
        while folders:
            folder = folders.pop()
            listed = solr.get(path, Files, {"file": folder.rstrip("/")} if folder else None)
            for file, about in listed.files.items():
                if "/" in file or len(files) + len(folders) >= _MAX_FILES:
                    return b""
                if about.directory:
                    folders.append(f"{folder}{file}/")
                    continue
                # As a text, which Solr gives of any file; there are no others in a config set.
                asked = {"file": folder + file, "contentType": "text/plain;charset=utf-8"}
                files[folder + file] = solr.get_text(path, asked).encode()
                if sum(map(len, files.values())) > _MAX_UNPACKED:
                    return b""
    except SolrbenchError:
        return b""  # a right of its own, or files that are hidden
    archive = zip_files(files)
    return archive if len(archive) <= _MAX_BYTES else b""


def _config_map(name: str, archive: bytes) -> str:
    """Return the ConfigMap of a config set as another document of the file."""
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    encoded = textwrap.fill(
        b64encode(archive).decode(), 98, initial_indent="    ", subsequent_indent="    "
    )
    return f"---\n{yaml.safe_dump(head)}binaryData:\n  {ARCHIVE_KEY}: |\n{encoded}\n"


def _words(solr: SolrClient, name: str, unique_key: str) -> Iterator[dict[str, str]]:
    """Yield queries for frequent words of the fields with most documents, those of text first."""
    # Without flags of the index, which Solr would look up in a document of each field.
    without = {"includeIndexFieldFlags": "false"}
    try:
        fields = solr.get(f"/{name}/admin/luke", Fields, without).fields
        # Fields of points have no words, and so no number of documents with one.
        ranked = sorted(
            (-("T" in about.flags), -about.documents, field)
            for field, about in fields.items()
            if about.documents is not None and field != unique_key
            # No names that would need quotes, and none of Solr's own.
            if field == "_text_" or re.fullmatch(r"[^\W_][\w.-]*", field)
        )
        for _, _, field in ranked[:_MAX_FIELDS]:
            asked = {"terms.fl": field, "terms.limit": "20", "json.nl": "flat"}
            for term in solr.get(f"/{name}/terms", Terms, asked).terms.get(field, [])[::2]:
                if isinstance(term, str) and len(term) <= _MAX_TERM:
                    # `term` finds a word whatever its characters mean to other parsers.
                    yield {"q": f"{{!term f={field}}}{term}", "defType": "lucene"}
    except SolrbenchError:
        return  # it needs a right of its own, and is more than an index with many fields can send


def _logged(log: Path) -> list[str]:
    """Return the first requests of a query log, as many as fit, as lines in ASCII."""
    with logged_requests((log,)) as requests:
        lines = [_line(json.loads(each)) for each in islice(query_lines(requests), _MAX_LINES)]
    sizes = accumulate(map(len, lines))
    return [line for line, size in zip(lines, sizes, strict=True) if size <= _MAX_BYTES]


def _line(query: object) -> str:
    """Return JSON in ASCII: outside of it, YAML takes some characters for the end of a line."""
    return json.dumps(query).replace("\x7f", r"\u007f")  # which YAML refuses


def _plain(text: object) -> str:
    """Return a text of others as it can stand in a comment."""
    return re.sub(r"[^\w .-]", "?", str(text), flags=re.ASCII)[:100]


def _render(head: str, lines: list[str], spec: dict[str, Any], answers: dict[str, Any]) -> str:
    """Return the file: what was read as a comment, the queries, and the benchmark."""
    name, users = answers["name"], answers["users"]
    queries = {"configMap": {"name": f"{name}-queries"}}
    step = {"name": f"users-{users}", "users": users, "durationSeconds": answers["seconds"]}
    spec |= {"workload": {"queries": queries}, "load": {"steps": [step]}}
    kind = {"apiVersion": "solrbench.io/v1alpha1", "kind": "SolrBenchmark"}
    body = yaml.safe_dump(kind | {"metadata": {"name": name}, "spec": spec}, sort_keys=False)
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": queries["configMap"]}
    wrapped = textwrap.wrap(head, 98, break_long_words=False, break_on_hyphens=False)
    comment = "".join(f"# {line}\n" for line in wrapped)
    text = "".join(f"    {line}\n" for line in lines)
    return f"{comment}{yaml.safe_dump(config_map)}data:\n  queries.txt: |\n{text}---\n{body}"
