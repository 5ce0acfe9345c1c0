"""What is stored of a status where it is too large, or refused.

- `size`: what a status leaves to the report where it would be too large
- `fallback`: what is left of a status that cannot be stored
"""
