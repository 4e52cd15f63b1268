"""Management commands of the web server."""
