"""Results as text.

- `tables`: tables that each form of the report renders in its own way
- `results_markdown`: reports as Markdown
- `benchmark_facts`: outcome, target, data and load, by name
- `columns`: the cells of a result, by the columns of its table
- `interval_table`: rates, means and percentiles with their intervals
- `totals`: the rows of all requests of a step among the others
- `windows_markdown`: cold start and outlying seconds
- `verdict_text`: verdicts in words
- `verdict_reference`: the reasons of verdicts as a table of the documentation
- `baseline_text`: the benchmark beside its baseline; `markdown`: tables and lists
- `comparison_word_text`: the word of a comparison
- `comparison_text`: comparisons in words
- `servers`: what the servers did as a table
- `slow_requests`: the slowest requests as lines
"""
