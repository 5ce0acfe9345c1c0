"""Numbers, without I/O. Each package imports only from those before it.

- `model`: results as they are pulled from the load master and stored
- `stats`: histograms, means, steadiness, outliers, number formats
- `summary`: results of all repeats, brought together per step and variant
- `comparison`: two sides beside each other, and the word on each difference
- `validity`: what may be wrong with a step run, and the verdict
- `bottleneck`: what held a step back
- `text`: tables, reports and verdicts as text
- `answers`: sentences made from the numbers
"""
