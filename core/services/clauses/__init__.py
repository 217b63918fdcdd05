"""The clause table of everything installed: collect it, check it, write it into the plugins' own pages."""
