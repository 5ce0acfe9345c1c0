"""The page of the documentation about the commands, made from their help texts."""
