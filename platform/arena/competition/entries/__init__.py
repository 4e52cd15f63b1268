"""Entries: from an invitation to a withdrawal."""
