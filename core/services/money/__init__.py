"""Money: paid, previewed, come back, entered in error, moved, paid back; and what stands to a filer's credit."""
