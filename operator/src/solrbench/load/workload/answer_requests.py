"""The distinct queries of a workload as requests whose answers can be compared.

They are those of the load but for what is returned: the unique key and what documents are ordered
by, in JSON, of as many documents as are compared.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from solrbench.contract.answers import Skipped
from solrbench.contract.load_plan import LoadPlan
from solrbench.load.schedule.users import seed_of
from solrbench.load.workload.query_file import WorkloadQuery
from solrbench.load.workload.templates import with_defaults

MAX_QUERY_TEXT = 160
"""Characters of a query that are kept for readers."""

_MAX_LOOKED_AT = 50_000
"""Queries of a list among which distinct ones are chosen: more than are needed, as a list may have
many repetitions, but not all of a long one."""

_SCORE = "score"
_RANK = "solrbench_rank_"
_REPLACED = frozenset(
    {"wt", "fl", "rows", "omitHeader", "echoParams", "json.nl", "debug", "debugQuery", "hl"}
)
"""Parameters that are set by this pass, or change nothing that is compared."""

# As a date, not as a word of a text: NOW/DAY, [* TO NOW], ms(NOW,field).
_NOW = re.compile(r"\bNOW\s*[/+\-\]},)]|[\[{(,]\s*NOW\b")
_DESCENDING = re.compile(r"\s+(asc|desc)\s*$", re.IGNORECASE)
_TRUE = frozenset({"true", "on", "yes", "1"})
_ROWS = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class HandlerDefaults:
    """What Solr adds to the requests of one handler where they are silent."""

    rows: int = 10
    sort: str = ""
    group: bool = False


@dataclass(frozen=True)
class AnswerRequest:
    """One distinct query."""

    key: str
    text: str
    handler: str
    rows: int
    """Documents that it asks for."""
    sort: str
    """Its order as Solr's parameter has it; empty for the score."""
    parameters: tuple[tuple[str, str], ...]
    """As they are sent, without those that this pass sets."""
    body: Mapping[str, Any] | None = None
    """That of the JSON request API."""
    skipped: Skipped | None = None

    @property
    def criteria(self) -> list[str]:
        """What documents are ordered by, the score without a sort."""
        return [_DESCENDING.sub("", part).strip() for part in split_sort(self.sort)] or [_SCORE]

    def sent(self, unique_key: str, first: int) -> tuple[list[tuple[str, str]], bytes | None]:
        """Return parameters and body that ask for what is compared."""
        wanted = [
            f"{_RANK}{index}:{criterion}"
            for index, criterion in enumerate(self.criteria)
            if criterion != _SCORE
        ]
        fields, rows = [unique_key, _SCORE, *wanted], min(self.rows, first)
        parameters = [*self.parameters, ("wt", "json"), ("json.nl", "flat"), ("hl", "false")]
        if self.body is None:
            return [*parameters, ("fl", ",".join(fields)), ("rows", str(rows))], None
        return parameters, orjson.dumps({**self.body, "fields": fields, "limit": rows})

    def rank(self, document: Mapping[str, Any]) -> list[Any]:
        """Return what a document of the response is ordered by."""
        return [
            document.get(_SCORE if criterion == _SCORE else f"{_RANK}{index}")
            for index, criterion in enumerate(self.criteria)
        ]


def split_sort(sort: str) -> list[str]:
    """Return the criteria of a sort: functions have commas of their own."""
    parts, depth, begin = [], 0, 0
    for index, letter in enumerate(sort):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(sort[begin:index])
            begin = index + 1
    return [part.strip() for part in [*parts, sort[begin:]] if part.strip()]


def distinct_queries(
    plan: LoadPlan,
    lists: Sequence[tuple[int, Sequence[WorkloadQuery]]],
    limit: int,
    defaults: Mapping[str, HandlerDefaults],
    random_fields: re.Pattern[str] | None,
) -> list[AnswerRequest]:
    """Return at most `limit` distinct queries, the same for the same lists and seed.

    `lists` has the entries of the mix by their places, `defaults` those of each handler. Every
    entry has about the same part of them, drawn from all of its list.
    """
    found: dict[str, AnswerRequest] = {}
    workload = plan.workload
    for place, (entry_index, queries) in enumerate(lists):
        share = (limit - len(found)) // (len(lists) - place)
        entry = workload.entries[entry_index]
        handler = entry.handler or workload.handler
        common = {**workload.parameters, **entry.parameters}
        rng = np.random.default_rng(seed_of("answers", workload.draw_seed, entry_index))
        number = min(len(queries), _MAX_LOOKED_AT)
        own: dict[str, AnswerRequest] = {}
        for index in rng.choice(len(queries), number, replace=False).tolist():
            if len(own) == share:
                break
            request = _request(queries[index], handler, common, defaults[handler], random_fields)
            if request.key not in found:
                own.setdefault(request.key, request)
        found |= own
    return list(found.values())


def _request(
    query: WorkloadQuery,
    handler: str,
    common: Mapping[str, str],
    defaults: HandlerDefaults,
    random_fields: re.Pattern[str] | None,
) -> AnswerRequest:
    whole = with_defaults(query.parameters, common)
    kept = tuple((name, value) for name, value in whole if name not in _REPLACED)
    body = None if query.json is None else orjson.loads(query.json)
    digest = hashlib.sha256(orjson.dumps([handler, sorted(kept), body]))
    asked: dict[str, Any] = dict(reversed(whole))  # of several values, the first one counts
    text = "&".join(f"{name}={value}" for name, value in query.parameters)
    json_text = "" if query.json is None else query.json.decode("utf-8", "replace")
    skipped: Skipped | None = None
    if isinstance(body, dict):
        inner = params if isinstance(params := body.get("params"), dict) else {}
        # Order and number of documents stand beside the parameters of a JSON request.
        beside = {"limit": "rows", "sort": "sort"}
        asked |= inner | {name: body[key] for key, name in beside.items() if key in body}
        body = {**body, "params": {k: v for k, v in inner.items() if k not in _REPLACED}}
        text = f"{text} {json_text}".strip()
    elif body is not None:
        skipped, body = Skipped.NO_DOCUMENTS, None  # an array of documents is no query
    rows, sort = asked.get("rows"), str(asked.get("sort", defaults.sort) or "")
    group = str(asked.get("group", defaults.group)).lower() in _TRUE
    if group:
        skipped = Skipped.GROUPED
    elif any(map(_NOW.search, [json_text, *(value for _, value in whole)])):
        skipped = Skipped.USES_NOW
    elif random_fields is not None and any(map(random_fields.match, split_sort(sort))):
        skipped = Skipped.RANDOM
    return AnswerRequest(
        key=digest.hexdigest()[:12],
        text=text[:MAX_QUERY_TEXT],
        handler=handler,
        rows=defaults.rows if rows is None else int(rows if _ROWS.fullmatch(str(rows)) else 0),
        sort=sort,
        parameters=kept,
        body=body,
        skipped=skipped,
    )
