"""The pass of answers: each distinct query of the workload, before anything is measured.

Every query is sent twice, to different nodes where there are several. What differs between the two
is not an answer of the target: an order of random numbers, or replicas that do not have the same
documents yet. Such queries are sent again for a while, and left out if they do not settle.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gevent
import httpx2 as httpx
from gevent.pool import Pool

from solrbench.analysis.answer_differences import AnswerKind, compare_answer
from solrbench.contract.answers import QueryAnswer, Skipped, StoredAnswers, pack_answers
from solrbench.contract.foreign import ForeignDataError, decode_json
from solrbench.contract.load_plan import AnswersPlan, LoadPlan
from solrbench.errors import SolrbenchError
from solrbench.load.master.added_documents import read_collection
from solrbench.load.workload.answer_facets import read_facets
from solrbench.load.workload.answer_requests import AnswerRequest, HandlerDefaults, distinct_queries
from solrbench.load.workload.loader import read_query_lists
from solrbench.net.http import NO_ANSWER_ERRORS, HttpAuth
from solrbench.stats.number_format import round_significant

_logger = logging.getLogger(__name__)

MAX_SECONDS = 300.0
"""Time of the pass; queries that were not sent by then are left out."""

_SETTLE_SECONDS = 30.0
"""Within it, replicas that have not opened their searchers yet do so."""

_PAUSE_SECONDS = 2.0
_TIMEOUT_SECONDS = 30.0
_MAX_RESPONSE_BYTES = 8 << 20
_AT_ONCE = 4
"""Requests at a time: enough to keep a Solr busy, and far less than a load."""

_MAX_ERROR = 160
_DIGITS = 7
"""Of scores, which Solr computes as floats of 32 bits."""

_TURNED_OFF = "set spec.comparison.answers.queries to 0 to compare no answers"


@dataclass(frozen=True)
class _Schema:
    unique_key: str
    random_fields: re.Pattern[str] | None


class _NotComparableError(Exception):
    """Nothing of this target can be compared; the message says why, and what to do."""


@dataclass(eq=False, repr=False)
class AnswerPass:
    """Sends the queries of a plan and keeps what Solr answers.

    `access` is called before the first request; `pause` waits, `now` gives monotonic seconds.
    """

    wanted: AnswersPlan
    plan: LoadPlan
    folder: Path
    access: Callable[[], HttpAuth]
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def ask(self, variant: str) -> StoredAnswers:
        """Return the answers through a variant, an empty name for the nodes; it never fails."""
        by_variant = {each.variant: each.urls for each in self.plan.variants}
        urls = [url.rstrip("/") for url in by_variant.get(variant, self.plan.solr_urls)]
        began, access = self.now(), self.access()
        stored = StoredAnswers(first=self.wanted.first)
        try:
            with access.open_client(_TIMEOUT_SECONDS, _MAX_RESPONSE_BYTES) as http:
                target = _Target(http, [f"{url}/{self.plan.collection}" for url in urls])
                answers, seen = self._ask_all(target, began + MAX_SECONDS)
                seen["layout"] = _layout(http, urls[0], self.plan.collection_of_cores)
        except _NotComparableError as error:
            return stored.model_copy(update={"problem": str(error)})
        except SolrbenchError as error:
            # The workers find the same in the workload, and end the load by it.
            return stored.model_copy(update={"problem": error.message})
        seen["seconds"] = round(self.now() - began, 1)
        return pack_answers(answers, stored.model_copy(update=seen), self.wanted.max_bytes)

    def _ask_all(
        self, target: "_Target", deadline: float
    ) -> tuple[list[QueryAnswer], dict[str, object]]:
        """Return the answers, and what was counted, as fields of `StoredAnswers`."""
        # In a native thread: millions of lines take seconds, after which workers miss the master.
        read = gevent.get_hub().threadpool.apply
        lists, others = read(read_query_lists, (self.plan, self.folder))
        schema = target.schema()
        entries, workload = self.plan.workload.entries, self.plan.workload
        handlers = {entries[place].handler or workload.handler for place, _ in lists}
        defaults = {handler: target.defaults(handler) for handler in handlers}
        requests = distinct_queries(
            self.plan, lists, self.wanted.queries, defaults, schema.random_fields
        )
        if not requests:
            raise _NotComparableError(
                "the workload has no queries of its own, only updates or transactions; add a"
                f" query to workload.mix, or {_TURNED_OFF}"
            )
        answers = self._settled(target, schema.unique_key, requests, deadline)
        return answers, {
            "left_out": len(requests) - len(answers),
            "not_queries": others,
            "fewer_rows": sum(0 < each.rows < self.wanted.first for each in requests),
        }

    def _settled(
        self, target: "_Target", unique_key: str, requests: Sequence[AnswerRequest], deadline: float
    ) -> list[QueryAnswer]:
        """Return the answers that were the same when they were asked for again."""
        answers: dict[str, QueryAnswer] = {}
        pool = Pool(_AT_ONCE)

        def ask_twice(numbered: tuple[int, AnswerRequest]) -> None:
            number, request = numbered
            if self.now() < deadline:
                pair = [
                    target.answer(request, unique_key, self.wanted.first, number + turn)
                    for turn in range(2)
                ]
                answers[request.key] = _merge(*pair)

        pool.map(ask_twice, enumerate(requests))
        settles_until = min(self.now() + _SETTLE_SECONDS, deadline)
        while self.now() < settles_until:
            varying = [
                (number, each)
                for number, each in enumerate(requests)
                if each.key in answers and answers[each.key].skipped is Skipped.VARIES
            ]
            if not varying:
                break
            self.pause(_PAUSE_SECONDS)
            pool.map(ask_twice, varying)
        return [answers[each.key] for each in requests if each.key in answers]


def _merge(one: QueryAnswer, again: QueryAnswer) -> QueryAnswer:
    """Return an answer as its two responses have it in common."""
    if one.skipped is not None:
        return one
    kind = AnswerKind.ERROR if again.skipped else compare_answer(one, again).kind
    if kind is None:
        return one
    if kind is AnswerKind.SCORES:
        return one.model_copy(update={"scores_vary": True})
    return one.model_copy(update={"skipped": Skipped.VARIES})


@dataclass(frozen=True)
class _Target:
    """The collection as it is reached through each of some URLs."""

    http: httpx.Client
    urls: Sequence[str]

    def schema(self) -> _Schema:
        """Return what is needed of the schema; `_NotComparableError` if it lacks a unique key."""
        try:
            response = self.http.get(f"{self.urls[0]}/schema", params={"wt": "json"})
            schema = response.raise_for_status().json()["schema"]
            unique_key = schema.get("uniqueKey")
            random = {
                each["name"]
                for each in schema.get("fieldTypes", [])
                if str(each.get("class", "")).endswith("RandomSortField")
            }
            fields = [*schema.get("fields", []), *schema.get("dynamicFields", [])]
            names = [str(each["name"]) for each in fields if each.get("type") in random]
        except NO_ANSWER_ERRORS as error:
            raise _NotComparableError(
                f"the schema of the collection could not be read at {self.urls[0]}/schema"
                f" ({str(error)[:_MAX_ERROR]}); allow it, or {_TURNED_OFF}"
            ) from error
        if not unique_key:
            raise _NotComparableError(
                "the schema has no uniqueKey, by which documents are recognised; add one, or"
                f" {_TURNED_OFF}"
            )
        patterns = "|".join(re.escape(name).replace(r"\*", r"\S*") for name in names)
        return _Schema(str(unique_key), re.compile(rf"(?:{patterns})(?:\s|$)") if names else None)

    def defaults(self, handler: str) -> HandlerDefaults:
        """Return what Solr adds to a request that is silent; those of Solr if it does not say."""
        # Without rows, as what is sent hides the default of the same name.
        parameters = {"q": "*:*", "fl": "score", "echoParams": "all", "wt": "json"}
        try:
            response = self.http.get(f"{self.urls[0]}{handler}", params=parameters)
            shown = response.raise_for_status().json()["responseHeader"]["params"]
            return HandlerDefaults(
                rows=int(shown.get("rows", 10)),
                sort=str(shown.get("sort", "")),
                group=str(shown.get("group", "")).lower() == "true",
            )
        except NO_ANSWER_ERRORS as error:
            _logger.info("no defaults of %s: %r", handler, error)
            return HandlerDefaults()

    def answer(
        self, request: AnswerRequest, unique_key: str, first: int, number: int
    ) -> QueryAnswer:
        """Return the answer of the node that a number stands for."""
        answer = QueryAnswer(
            key=request.key,
            query=request.text,
            by_score="score" in request.criteria,
            skipped=request.skipped,
        )
        if request.skipped is not None:
            return answer
        url = f"{self.urls[number % len(self.urls)]}{request.handler}"
        parameters, body = request.sent(unique_key, first)
        try:
            given = _repeated(parameters)
            if body is None:
                response = self.http.post(url, data=given)
            else:
                headers = {"Content-Type": "application/json"}
                response = self.http.post(url, params=given, content=body, headers=headers)
            return _read(answer, request, unique_key, response)
        except httpx.TimeoutException:
            return answer.model_copy(update={"error": "no response in time"})
        except (httpx.HTTPError, httpx.InvalidURL, ForeignDataError) as error:
            text = f"{type(error).__name__}: {error}"
            return answer.model_copy(update={"error": text[:_MAX_ERROR]})
        except (ValueError, LookupError, TypeError, AttributeError):
            return answer.model_copy(update={"error": "a response that is not one of Solr"})


def _repeated(parameters: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in parameters:
        found.setdefault(name, []).append(value)
    return found


def _read(
    answer: QueryAnswer, request: AnswerRequest, unique_key: str, response: httpx.Response
) -> QueryAnswer:
    if not response.is_success:
        text = f"HTTP {response.status_code}: {_message(response.content)}"
        return answer.model_copy(update={"error": text[:_MAX_ERROR].rstrip(": ")})
    content = decode_json(response.content)
    found, header = content.get("response"), content.get("responseHeader") or {}
    if not isinstance(found, dict) or not isinstance(found.get("docs"), list):
        reason = Skipped.GROUPED if "grouped" in content else Skipped.NO_DOCUMENTS
        return answer.model_copy(update={"skipped": reason})
    documents: list[Mapping[str, Any]] = found["docs"]
    skipped = None
    if header.get("partialResults"):
        skipped = Skipped.PARTIAL
    elif not found.get("numFoundExact", True):
        skipped = Skipped.APPROXIMATE
    elif any(unique_key not in document for document in documents):
        skipped = Skipped.NO_KEY
    if skipped is not None:
        return answer.model_copy(update={"skipped": skipped})
    return answer.model_copy(
        update={
            "found": int(found["numFound"]),
            "ids": [str(document[unique_key]) for document in documents],
            "ranks": [list(map(_rank_value, request.rank(document))) for document in documents],
            "facets": read_facets(content),
        }
    )


def _message(content: bytes) -> str:
    """Return what Solr says of an error; empty if it was none of Solr."""
    try:
        return str(decode_json(content)["error"]["msg"])
    except (ForeignDataError, LookupError, TypeError):
        return ""


def _rank_value(value: Any) -> float | str | None:
    if isinstance(value, float):
        return round_significant(value, _DIGITS)
    # Whole numbers, too, as they are not rounded: two dates in milliseconds are never a tie.
    return None if value is None else str(value)


def _layout(http: httpx.Client, url: str, collection: str) -> str:
    """Return how many shards the collection has and how they are chosen; empty if unknown."""
    try:
        state = read_collection(http, url, collection)
    except NO_ANSWER_ERRORS:
        return ""
    # The parent of a shard that was split stays listed, inactive.
    active = sum(shard.state == "active" for shard in state.shards.values())
    return f"{active} shards, {state.router.name}" if state.router.name else ""
