"""The platform: accounts, bots, tournaments, tables, standings, API and pages."""

from arena.celery import app as celery_app

__all__ = ["celery_app"]
