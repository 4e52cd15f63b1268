"""Pages of the daily deal."""
