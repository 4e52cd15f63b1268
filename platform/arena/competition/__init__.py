"""Tournaments, stages, rounds and entries: models, services and selectors."""
