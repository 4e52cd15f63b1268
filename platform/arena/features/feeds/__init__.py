"""Atom feeds, calendars and CSV files of public results."""
