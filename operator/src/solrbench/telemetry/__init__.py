"""What servers and pods report of themselves, as readings; their differences are metrics.

Nothing here does I/O but what runs in the pods: the agent, a small server, and the kernel and JVM
files that it reads.
"""
