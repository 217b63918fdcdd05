"""Who files and for which place: enter filers and places of business, change them, find them, keep their open days."""
