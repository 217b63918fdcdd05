"""Pages: HTML that works without JavaScript."""
