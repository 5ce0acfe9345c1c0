"""Which hosts and addresses are allowed, and what a name means."""

import pytest

from solrbench.decide.hosts import (
    DEFAULT_PATTERNS,
    check_addresses,
    check_name,
    host_of,
    patterns_in,
    qualify,
)
from solrbench.errors import PermanentError
from support.failing import failing

DEFAULTS = patterns_in(DEFAULT_PATTERNS, "team")


@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("http://search:8983/solr", "http://search.team.svc:8983/solr"),
        ("http://search-0.search.team:8983/solr", "http://search-0.search.team.svc:8983/solr"),
        ("http://a-1.a-headless.team", "http://a-1.a-headless.team.svc"),
        ("http://a-solrcloud-1.team/solr", "http://a-solrcloud-1.team.svc/solr"),
        ("https://search.example.team/solr", "https://search.example.team/solr"),
        ("https://search-0.example.team/solr", "https://search-0.example.team/solr"),
        ("https://search-0.search.example.team", "https://search-0.search.example.team"),
        ("https://example.team", "https://example.team"),
        ("http://search.team.svc/solr/", "http://search.team.svc/solr"),
        ("https://Solr.Example.org:8984/a/solr", "https://solr.example.org:8984/a/solr"),
        ("http://10.0.0.7:8983/solr", "http://10.0.0.7:8983/solr"),
        ("http://[2001:db8::1]:8983/solr", "http://[2001:db8::1]:8983/solr"),
    ],
)
def test_a_host_means_the_same_everywhere(url: str, full: str) -> None:
    assert qualify(url, "team") == full


@pytest.mark.parametrize(
    ("host", "patterns"),
    [
        ("search.team.svc", DEFAULTS),
        ("search.team.svc.cluster.local", DEFAULTS),
        ("solr.example.org", ("*.Example.org",)),
        ("10.0.0.7", ("10.0.0.*",)),
        ("2001:db8::1", ("2001:db8::*",)),
    ],
)
def test_host_is_allowed_if_a_pattern_matches(host: str, patterns: tuple[str, ...]) -> None:
    check_name(host, patterns)


@pytest.mark.parametrize(
    ("host", "patterns"),
    [
        ("example.org", DEFAULTS),
        ("search.svc.example.org", DEFAULTS),
        ("search.other.svc", DEFAULTS),
        ("search.other.svc.cluster.local", DEFAULTS),
        ("team.svc", DEFAULTS),
        ("10.0.0.7", DEFAULTS),
        ("example.org", ("*.example.org",)),
        ("search.team.svc", ()),
    ],
)
def test_other_hosts_are_refused_with_the_remedy(host: str, patterns: tuple[str, ...]) -> None:
    with failing(PermanentError, "HostNotAllowed", r"existingTargets\.allowedHosts") as caught:
        check_name(host, patterns)
    assert host in caught.value.message


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.1", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::127.0.0.1", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b:1::7f00:1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("169.254.169.254", "link-local"),
        ("::ffff:169.254.169.254", "link-local"),
        ("::a9fe:a9fe", "link-local"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("fd00:ec2::254", "a metadata service"),
        ("168.63.129.16", "a metadata service"),
        ("100.100.100.200", "a metadata service"),
        ("0.0.0.0", "no address of a host"),
        ("224.0.0.1", "no address of a host"),
        ("10.96.0.1", "the API server"),
        ("::ffff:10.96.0.1", "the API server"),
    ],
)
def test_no_pattern_allows_these_addresses(address: str, what: str) -> None:
    with failing(PermanentError, "HostNotAllowed", f"{what}.*never allowed"):
        check_addresses("search.team.svc", ["10.0.0.7", address], ["10.96.0.1", "fd00::1"])


def test_addresses_of_pods_and_services_are_fine() -> None:
    check_addresses("search.team.svc", ["10.0.0.7", "fd00::2"], ["10.96.0.1", "fd00::1"])


def test_host_of_a_url() -> None:
    assert host_of("https://[2001:DB8::1]:8983/solr") == "2001:db8::1"
