"""Logs of queries: their rates and mix, and how they are replayed.

- `entry`: one request of a log
- `formats`: the formats that are read
- `ordering`: requests sorted by time, in bounded memory
- `statistics`: rates and mix
- `query_file`: the file that a step replays
"""
