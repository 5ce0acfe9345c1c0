"""Grafana dashboards, written as code and generated as JSON into the chart.

The SDK is a development dependency: nothing of this is in the image.
"""
