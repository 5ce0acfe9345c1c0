"""Requests with a limit on bytes and on time, whatever the other side does."""
