"""Fills a database for load work with events that could have happened: see ``benchmarks.seeding``."""
