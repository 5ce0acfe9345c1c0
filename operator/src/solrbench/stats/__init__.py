"""Pure numbers: histograms, intervals, tests, regressions, and the search for a capacity.

Nothing here knows what a benchmark is; each formula names its source.
"""
