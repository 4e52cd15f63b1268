"""Verification of published events from their exports alone."""
