"""Period accounts: record what happened, post what is owed, look at it, explain it, replay it."""
