"""Locust's own fastest user, doing nothing but asking."""

from locust import FastHttpUser, task


class QueryUser(FastHttpUser):
    """Asks without a pause."""

    @task
    def ask(self) -> None:
        """Ask and read the answer."""
        self.client.get("/books/select?q=word1&wt=json", name="select")
