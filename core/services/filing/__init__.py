"""Returns: several in one submission, the annual return with its corrections, and which returns are owed."""
