"""The report of one benchmark in its forms for people and programs. Pure: no cluster, no files.

- `model`: the full report, the JSON that all other forms are made from
- `json_schema`: its published JSON Schema
- `html`: one HTML file that needs nothing else
- `page`: what that file shows, section by section
- `figures`: its figures, as data of the plotting library
- `drawing`: a figure as SVG, drawn by that library without a browser
- `results_csv`: results as CSV
- `windows_csv`: the numbers over time as CSV
- `junit`: verdicts as test cases
"""
