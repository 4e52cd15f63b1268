"""Organising in the browser: events from the first idea to the archive, and cups."""
