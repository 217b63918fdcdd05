"""The books of a municipality: seal, verify, export, the trial balance."""
