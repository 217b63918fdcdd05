"""Use cases: one verb a file, plain values in and out."""
