"""Ladders: placed versions are paired automatically, in rounds of a season, and rated."""
