"""API of courses."""
