"""Sharing out what was collected: agreements, distributions, remittances. Everything here is pooled."""
