"""Parts of core pages that share a board or a position."""
