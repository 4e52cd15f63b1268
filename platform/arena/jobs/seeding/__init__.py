"""Fills a database for load work with events that could have happened: see ``manage.py seed_demo``."""
