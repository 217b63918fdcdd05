"""The ordinance's rules: one clause, one function."""
