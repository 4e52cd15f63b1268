"""Part of the home page."""
