"""The API of analysis."""
