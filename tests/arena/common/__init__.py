"""The arena's common parts."""
