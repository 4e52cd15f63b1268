"""What all endpoints of the API share, by concern."""
