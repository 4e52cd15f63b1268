"""Folders that ``rensho new`` copies: one per game, and a generic one."""
