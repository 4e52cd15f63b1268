"""The API of the daily deal."""
