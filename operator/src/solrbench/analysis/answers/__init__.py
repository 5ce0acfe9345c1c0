"""Answers to queries: what two targets answer differently."""
