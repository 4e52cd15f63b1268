"""Pages of analysis."""
