"""Locust's own fastest user, doing nothing but sending."""

from locust import FastHttpUser, task


class QueryUser(FastHttpUser):
    """Sends without a pause."""

    @task
    def query(self) -> None:
        """Send a request and read the response."""
        self.client.get("/books/select?q=word1&wt=json", name="select")
