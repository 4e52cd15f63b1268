"""Verifying what is published of events, from their exports alone."""
