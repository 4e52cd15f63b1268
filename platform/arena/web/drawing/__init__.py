"""Drawn parts: plots, positions, tables of results."""
