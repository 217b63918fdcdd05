"""A Fox Cities village: room tax."""
