"""Pages of remote bots."""
