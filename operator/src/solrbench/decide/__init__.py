"""Pure decisions on what was observed: a benchmark goes on, waits or ends, and for which reason.

A check takes one frozen observation and returns an outcome or None; it reads no clock.
"""
