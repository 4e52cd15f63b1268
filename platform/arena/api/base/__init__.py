"""What all end points of the API share, by concern."""
