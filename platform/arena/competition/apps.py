"""App configuration."""

from django.apps import AppConfig


class CompetitionConfig(AppConfig):
    name = "arena.competition"
    label = "competition"
