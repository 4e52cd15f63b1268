"""The ASGI server."""
