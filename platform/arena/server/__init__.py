"""Web server: uvicorn with deadlines and limits per connection and request."""
