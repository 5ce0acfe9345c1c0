"""Who sends what, and when: shares that add up exactly, from seeds (pure)."""
