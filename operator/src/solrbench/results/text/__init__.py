"""Results as text.

- `table`: a table as text, and as Markdown
- `render`: reports as Markdown
- `facts`: outcome, target, data and load, by name
- `columns`: the cells of a result, by the columns of its table
- `interval_table`: rates, means and percentiles with their intervals
- `totals`: the rows of all requests of a step among the others
- `render_windows`: cold start and outlying seconds
- `verdict_text`: verdicts in words
- `verdict_reference`: the reasons of verdicts as a table of the documentation
- `word_text`: the word of a comparison
- `comparison_text`: comparisons in words
- `comparison_table`: comparisons as a table: before, after, difference, interval, word
- `failure_table`: failed requests by kind
- `environment_tables`: nodes, pods, images, versions, seeds
- `slow_requests`: the slowest requests as lines
"""
