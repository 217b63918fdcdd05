"""Worked cases: read one, assess it, write the answer."""
