"""What differs between the versions of Solr, decided from the version.

`docs/solr-versions.md` has each difference with its source in Solr's upgrade notes or code. What a
node responds is not decided here: readers of metrics follow the responses themselves, so that a
cluster of several versions, or one behind a proxy, is read as it is.
"""

import re
from collections.abc import Iterable, Mapping

MAJORS = ("9", "10")
"""Major versions that may be measured."""

COVERED = frozenset({"9.8", "9.10"})
"""Releases (major and minor version) on which our end-to-end suite has passed."""

TAG_OF_10 = "10([.-].*)?"
"""Image tags of Solr 10, in the syntax that RE2 and Python share."""

REMOVED_PARAMETERS = ("stream.body", "stream.file", "stream.url")
"""Parameters of requests that Solr 10 does not know any more."""

REMOVED_WRITERS = ("php", "phps", "python", "ruby", "xlsx")
"""Values of `wt` that Solr 10 does not know any more."""

REMOVED_MODULES = ("analytics", "hadoop-auth", "hdfs", "jaegertracer-configurator", "llm")
"""Modules with which Solr 10 does not start; `llm` is `language-models` now."""

SECURITY_MANAGER = "-Djava.security.manager"
"""JVM option that no JVM from Java 24 on starts with (JEP 486); images of Solr 10 have Java 25."""

RENAMED_VARIABLES = {
    "SOLR_HOST": "SOLR_HOST_ADVERTISE",
    "SOLR_PORT": "SOLR_PORT_LISTEN",
    "SOLR_REQUESTLOG_ENABLED": "SOLR_LOGS_REQUESTLOG_ENABLED",
    "ZK_CREATE_CHROOT": "SOLR_ZOOKEEPER_CHROOT_CREATE",
}
"""Variables of the official image whose names Solr 10 changed. It warns of some of the old ones,
and does not read the others."""

ALLOWED_PATHS = ("solr.allowPaths", "solr.security.allow.paths")
"""System properties of Solr 9 and of Solr 10 with the paths, beside its own folders, that it may
read: for its solr.xml and, in Solr 9, for the security manager, whose policy takes one path."""

_TAG = re.compile(r"(9|10)(\.\d+)?([.-].*)?")


def is_supported(version: str) -> bool:
    """Return whether a version that a node reports may be measured."""
    return version.partition(".")[0] in MAJORS


def is_10(version: str) -> bool:
    """Return whether a version or release is one of Solr 10."""
    return version.partition(".")[0] == "10"


def release_of_tag(tag: str) -> str | None:
    """Return the release of an official tag, such as 10.0 of `10.0.0-slim` and 10 of `10-slim`.

    None for any other tag: whatever image it names shows its version only when it runs.
    """
    found = _TAG.fullmatch(tag)
    return None if found is None else f"{found[1]}{found[2] or ''}"


def untested(versions: Iterable[str]) -> list[str]:
    """Return the releases, of versions or of tags, that no run of ours has covered, sorted.

    A major version alone is untested if none of its releases has been covered.
    """
    releases = {".".join(version.split(".")[:2]) for version in versions if version}
    covered = COVERED | {release.partition(".")[0] for release in COVERED}
    return sorted(releases - covered)


def name_variables(tag: str, values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return variables of the official image of Solr 9 under the names that an image reads.

    An image with a tag of its own may be of either version, and each ignores the other's names.
    """
    release = release_of_tag(tag)
    named: dict[str, str | None] = {}
    for name, value in values.items():
        new = RENAMED_VARIABLES.get(name)
        if new is None or release is None or not is_10(release):
            named[name] = value
        if new is not None and (release is None or is_10(release)):
            named[new] = value
    return named
