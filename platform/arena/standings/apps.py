"""App configuration."""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "arena.standings"
    label = "standings"
