"""The demonstration: real reservations, filed and paid in several ways, under every ordinance installed."""
