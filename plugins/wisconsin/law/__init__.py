"""The State's law files."""
