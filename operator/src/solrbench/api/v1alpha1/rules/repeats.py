"""Whether repeats and steps can start as the spec asks for."""

from solrbench.api.rules import Rule
from solrbench.api.v1alpha1.load.between import SolrCaches
from solrbench.api.v1alpha1.load.repeats import MOST_REPEATS, RepeatStart
from solrbench.api.v1alpha1.load.telemetry import Collect

REPEAT_RULES = (
    Rule(
        cel=f"!has(self.diagnostics) || self.diagnostics.repeat <= {MOST_REPEATS}",
        message="diagnostics.repeat must not be greater than the number of load.repeats",
        is_satisfied=lambda spec: (
            spec.diagnostics is None or spec.diagnostics.repeat <= spec.load.repeats.most
        ),
    ),
    Rule(
        cel=(
            "!has(self.diagnostics)"
            " || !self.diagnostics.gcLog && !has(self.diagnostics.flightRecording)"
            " || has(self.target.solrCloud) && self.load.telemetry.collect == 'ServersAndPods'"
        ),
        message=(
            "diagnostics.gcLog and diagnostics.flightRecording are taken in Solr's pods: they must"
            " go with target.solrCloud and load.telemetry.collect: ServersAndPods"
        ),
        is_satisfied=lambda spec: (
            spec.diagnostics is None
            or not (spec.diagnostics.gc_log or spec.diagnostics.flight_recording)
            or (
                spec.target.solr_cloud is not None
                and spec.load.telemetry.collect is Collect.SERVERS_AND_PODS
            )
        ),
    ),
    Rule(
        cel=(
            "!has(self.load.repeats.until) || self.target.variants.size() >= 2"
            " || has(self.comparison.baseline)"
        ),
        message=(
            "load.repeats.until must go with target.variants or comparison.baseline, otherwise"
            " there is nothing to decide; set count"
        ),
        is_satisfied=lambda spec: (
            spec.load.repeats.until is None
            or len(spec.target.variants) >= 2
            or spec.comparison.baseline is not None
        ),
    ),
    Rule(
        cel="self.load.repeats.startOn != 'FreshTarget' || has(self.target.solrCloud)",
        message=(
            "load.repeats.startOn FreshTarget must go with target.solrCloud, an existing target"
            " cannot be provisioned again; FreshData indexes again"
        ),
        is_satisfied=lambda spec: (
            spec.load.repeats.start_on is not RepeatStart.FRESH_TARGET
            or spec.target.solr_cloud is not None
        ),
    ),
    Rule(
        cel="self.load.repeats.startOn != 'FreshData' || has(self.dataset)",
        message=(
            "load.repeats.startOn FreshData must go with a dataset, a collection of yours is never"
            " deleted"
        ),
        is_satisfied=lambda spec: (
            spec.load.repeats.start_on is not RepeatStart.FRESH_DATA or spec.dataset is not None
        ),
    ),
    Rule(
        cel=("!has(self.load.between) || self.load.between.caches != 'Empty' || has(self.dataset)"),
        message=(
            "load.between.caches Empty must go with a dataset, a collection of yours is never"
            " reloaded"
        ),
        is_satisfied=lambda spec: (
            spec.load.between is None
            or spec.load.between.caches is not SolrCaches.EMPTY
            or spec.dataset is not None
        ),
    ),
)
