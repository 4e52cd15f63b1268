"""The API of remote bots."""
