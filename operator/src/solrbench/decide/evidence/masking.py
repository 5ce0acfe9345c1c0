"""Secrets taken out of text that others wrote.

The values of Secrets are known; what else looks like a credential is found by its form. Too much is
masked rather than too little.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"

MAX_LINE = 2000
"""Characters of a line that are kept, which also limits the time that a pattern takes."""

USERNAME = "username"
"""Key of a Secret of type kubernetes.io/basic-auth that is no secret: it may be `solr`."""

_SHORT = 4
"""Values of fewer characters are masked only where they are whole words."""

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
    found: set[str] = set()
    for key, text in texts.items():
        if key != USERNAME and text:
            found |= _forms(text)
    user = texts.get(USERNAME, "")
    pairs = [f"{user}:{text}" for key, text in texts.items() if key != USERNAME]
    return found | {_base64(pair) for pair in pairs}


def _forms(text: str) -> set[str]:
    lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= 2 * _SHORT}
    return {
        text,
        quote(text, safe=""),
        quote_plus(text),
        json.dumps(text)[1:-1],
        _base64(text),
        *lines,
    }


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


def mask(text: str, values: Iterable[str]) -> str:
    """Return the text without the values, and without what looks like a credential.

    Args:
        text: any number of lines
        values: those of Secrets, as `secret_values` returns them

    """
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


def _mask_values(text: str, values: Iterable[str]) -> str:
    for value in values:
        if len(value) >= _SHORT:
            text = text.replace(value, MASK)
        else:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", MASK, text)
    return text


def _cut(line: str) -> str:
    """Cut a long line before the word at its end, which may be the begin of a credential."""
    if len(line) <= MAX_LINE:
        return line
    kept = line[:MAX_LINE]
    return f"{kept[: max(kept.rfind(' '), kept.rfind(chr(9)), 0)]}…"


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
