"""What kopf calls, and what reaches users beside the status: events, unforeseen exceptions."""
