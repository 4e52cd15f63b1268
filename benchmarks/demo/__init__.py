"""A whole event played by the front door: what ``make demo`` shows and the system tests drive."""
