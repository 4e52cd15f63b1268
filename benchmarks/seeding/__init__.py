"""Fills a database with plausible events for load work."""
