"""A load worker: a Locust worker that runs the engine, or the user's locustfile."""
