"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "arena.common"
    label = "common"
