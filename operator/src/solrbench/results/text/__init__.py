"""Results as text.

- `render`: reports as Markdown and CSV
- `columns`: the cells of a result, by the columns of its table
- `render_windows`: cold start and outlying seconds
- `verdict_text`: verdicts in words
- `verdict_reference`: the reasons of verdicts as a table of the documentation
- `comparison_text`: comparisons in words
- `slow_requests`: the slowest requests as lines
"""
