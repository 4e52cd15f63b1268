"""Pages of experiments: one's own, a form for a new one, and what one says."""
