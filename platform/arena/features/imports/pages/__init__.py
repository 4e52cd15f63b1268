"""Pages of imported events."""
