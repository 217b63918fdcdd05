"""The contract with a municipality: hooks, law files, declarations, the typed facade and the conformance kit."""
