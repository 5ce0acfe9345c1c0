"""Bottlenecks of a known kind against the rules that name them.

- `planted`: servers on loopback with a weakness, under the real load
- `computed`: cases that follow from `models`, in seconds, anywhere

"""
