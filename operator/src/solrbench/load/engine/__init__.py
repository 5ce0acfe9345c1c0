"""The load engine: sends requests in an asyncio event loop of its own, without Locust."""
