"""Who files, for which place and period, and what happened: filers, places of business, accounts, events, papers."""
