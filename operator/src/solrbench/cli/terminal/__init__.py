"""What is shown on a terminal.

- `tables`, `detail_tables`: results and what lies behind them
- `table_printing`: tables that never cut a number; `layout`: their columns and widths
- `progress`, `states`: how far a benchmark is
"""
