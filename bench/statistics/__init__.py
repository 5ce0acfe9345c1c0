"""How often statistical statements are right, where the truth is known."""
