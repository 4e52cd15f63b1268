"""Ladders: versions put on one are played without being asked, in rounds of a season, and rated."""
