"""Management commands of courses."""
