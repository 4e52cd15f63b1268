"""Imports: events of other sites, verified here from their exports, and shown read-only."""
