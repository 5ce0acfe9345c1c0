"""Commands that have a module of their own, one each."""
