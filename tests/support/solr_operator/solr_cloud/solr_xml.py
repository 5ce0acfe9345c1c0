"""The `solr.xml` of a cloud, with the system properties that the operator's nodes set."""

import hashlib

SOLR_XML = """<?xml version="1.0" encoding="UTF-8"?>
<solr>
  <str name="sharedLib">${solr.sharedLib:}</str>
  <str name="allowPaths">${solr.allowPaths:}</str>
  <int name="maxBooleanClauses">${solr.max.booleanClauses:1024}</int>
  <solrcloud>
    <str name="host">${host:}</str>
    <int name="hostPort">${solr.port.advertise:80}</int>
    <str name="hostContext">${hostContext:solr}</str>
    <int name="zkClientTimeout">${zkClientTimeout:30000}</int>
    <bool name="genericCoreNodeNames">${genericCoreNodeNames:true}</bool>
  </solrcloud>
  <metrics enabled="${metricsEnabled:true}"/>
</solr>
"""


def digest() -> str:
    """Return the hash that the pod template carries, so that a change restarts the pods."""
    return hashlib.md5(SOLR_XML.encode(), usedforsecurity=False).hexdigest()
