"""Pages of tournaments and cups."""
