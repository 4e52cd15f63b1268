"""Preferences, confirmation and unsubscription."""
