"""Tournaments, stages, rounds and entries."""
