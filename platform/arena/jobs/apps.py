"""App configuration."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "arena.jobs"
    label = "jobs"
