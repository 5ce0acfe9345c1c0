"""Pure numbers: histograms, intervals, tests and regressions.

Nothing here knows what a benchmark is; each formula names its source.
"""
