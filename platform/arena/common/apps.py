"""App configuration."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "arena.common"
    label = "common"
