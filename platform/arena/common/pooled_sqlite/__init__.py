"""A SQLite database backend for web processes that reuses connections."""
