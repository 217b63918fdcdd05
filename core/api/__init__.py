"""The API: JSON under /api/v1, one file a subject. Routes translate and nothing else."""
