"""Kinds of failed requests that checks look for."""

CONNECTIONS_RAN_OUT = "ConnectionsRanOut"
"""Kind of failure of an attempt to connect for which the generator lacked the means."""

PARTIAL_RESULTS = "PartialResults"
"""Kind of failure, and reason of a verdict: a response that Solr marks `partialResults`."""
