"""What a user with bad intentions may write, and a Solr of theirs may say."""

import json

from support.resources.small_resource import Changes

URLS = {
    "loopback": "http://127.0.0.1:{port}/solr",
    "its name": "http://localhost:{port}/solr",
    "its name with a dot at the end": "http://localhost.:{port}/solr",
    "short": "http://127.1:{port}/solr",
    "decimal": "http://2130706433:{port}/solr",
    "hexadecimal": "http://0x7f000001:{port}/solr",
    "octal": "http://0177.0.0.1:{port}/solr",
    "other loopback": "http://127.8.8.8:{port}/solr",
    "IPv6 loopback": "http://[::1]:{port}/solr",
    "mapped": "http://[::ffff:127.0.0.1]:{port}/solr",
    "mapped in hexadecimal": "http://[::ffff:7f00:1]:{port}/solr",
    "NAT64": "http://[64:ff9b::7f00:1]:{port}/solr",
    "6to4": "http://[2002:7f00:1::]:{port}/solr",
    "zone": "http://[fe80::1%25lo]:{port}/solr",
    "user": "http://search@127.0.0.1:{port}/solr",
    "user and password": "http://search:8983@127.0.0.1:{port}/solr",
    "fragment": "http://search#@127.0.0.1:{port}/solr",
    "backslash": "http://search\\@127.0.0.1:{port}/solr",
    "unspecified": "http://0.0.0.0:{port}/solr",
    "unspecified IPv6": "http://[::]:{port}/solr",
    "link-local": "http://169.254.169.254/solr",
    "metadata by IPv6": "http://[fd00:ec2::254]/solr",
    "metadata of Azure": "http://168.63.129.16/solr",
    "metadata of Alibaba": "http://100.100.100.200/solr",
    "query": "http://127.0.0.1:{port}/latest/user-data?x=",
    "path that climbs": "http://127.0.0.1:{port}/solr/../../latest",
    "port out of range": "http://search:99999/solr",
    "port of words": "http://search:80a/solr",
    "scheme": "file:///etc/passwd",
    "another scheme": "gopher://127.0.0.1:{port}/solr",
    "end of line": "http://search/solr\r\nX-Evil: 1",
    "template": "http://{{namespace}}.svc/solr",
}
BASE_URLS = {
    "loopback": "http://127.0.0.1:{port}/solr",
    "query": "http://127.0.0.1:{port}/latest/user-data?x=",
    "user": "http://search.default.svc@127.0.0.1:{port}/",
    "IPv6": "http://[::1]:{port}/solr",
    "port": "http://x:99999/solr",
    "brackets": "http://[1:2/solr",
    "long": "http://" + "a" * 100_000,
    "none": None,
    "a list": ["http://127.0.0.1:{port}"],
}
MESSAGES = {
    "no JSON": "\x1b]0;owned\x07 not json \r\n2026 INFO fine",
    "numbers": '{"pod": 0, "documents": 1e400, "started": NaN, "finished": Infinity}',
    "negative": '{"pod": 0, "documents": -5, "bytes": -1, "started": 5, "finished": 1}',
    "another pod": '{"pod": 99999999999999999999, "documents": 1000}',
    "reason": json.dumps({"pod": 0, "reason": "x" * 4000, "message": "y" * 4000}),
    "reason of ours": '{"pod": 0, "reason": "Succeeded", "message": "all is well"}',
}
SPECS: dict[str, Changes] = {
    "a million names": {"spec.load.steps": [{"users": 1}] * 100_000},
    "1.4 MB": {"spec.workload.parameters": {"q": "x" * 1_400_000}},
    "template as name": {"metadata.name": "{{ .Values }}"},
    "path as name": {"metadata.name": "../../kube-system"},
    "step that breaks labels": {"spec.load.steps.0.name": 'a"} 1\nfake{x="'},
    "step that breaks a table": {"spec.load.steps.0.name": "|<script>"},
    "number that is none": {"spec.load.steps.0.users": "NaN"},
    "huge number": {"spec.load.steps.0.users": 10**30},
    "path to the host": {
        "spec.dataset": {"configMap": {"name": "a", "keys": ["../../etc/passwd"]}}
    },
    "selector": {"spec.workload.queries": {"configMap": {"name": "a,b=c", "key": "k"}}},
    "heap that is an option": {"spec.target.solrCloud.heap": "1g -XX:OnError=reboot"},
    "image that is an option": {"spec.target.solrCloud.image": {"repository": "--privileged"}},
}
