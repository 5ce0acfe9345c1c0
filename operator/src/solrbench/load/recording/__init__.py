"""What a worker counts while a step runs."""
