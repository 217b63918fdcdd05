"""The daily run: open what became owed, post what arose by the passing of days, and seal the books."""
