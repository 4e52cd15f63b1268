"""The API of imports."""
