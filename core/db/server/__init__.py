"""A PostgreSQL server of our own, for a first evening with Fisc and for the tests; never for production.

`start(home)` starts it, or joins the one that already runs there. Each process that uses it holds a lease,
an open socket to a small supervisor; when the last lease closes, by `stop()` or by kill -9, the supervisor
shuts the server down. Reading order: lifecycle, lease, supervisor, postmaster, identity.

This file imports nothing: the supervisor runs on the standard library alone and starts in 20 ms.
"""
