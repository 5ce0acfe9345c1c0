"""What is sent: the workload of the spec as prepared requests."""
