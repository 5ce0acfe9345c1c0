"""The export pod: reads stored results, writes them to a volume or a bucket, reads them back."""
