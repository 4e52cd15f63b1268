"""The web server: uvicorn with deadlines and limits for each connection and request."""
