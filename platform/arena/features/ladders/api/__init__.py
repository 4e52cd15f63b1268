"""The API of ladders."""
