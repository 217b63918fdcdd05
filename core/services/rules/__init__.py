"""Questions to a municipality's rules that need no account and no database."""
