"""State law that the municipalities stand under: data and pure functions, no municipality."""
