"""The API of integrity."""
