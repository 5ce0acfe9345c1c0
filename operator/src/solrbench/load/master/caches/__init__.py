"""Solr's caches.

- `cache_sampler`, `cache_metrics`: read about once a second while a step runs
- `cache_reset`: emptied before a step run where the plan says so
"""
