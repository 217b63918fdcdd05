"""Municipalities on this instance: add one, list them, record what its council set."""
