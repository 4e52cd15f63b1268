"""Feeds, calendars and CSV files."""
