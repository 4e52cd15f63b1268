"""Helpers for management commands, and the command ``migrate``."""
