"""App configuration."""

from django.apps import AppConfig


class RosterConfig(AppConfig):
    name = "arena.roster"
    label = "roster"
