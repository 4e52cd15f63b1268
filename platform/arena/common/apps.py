"""App configuration."""

from __future__ import annotations

import gc

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from arena.common.converters import register_converters
from arena.common.message_context import message_context_connect
from arena.common.unicode_like import unicode_like_register

GC_THRESHOLD = 10_000
"""Allocations between two runs of the garbage collector; Python's default is 700."""


class CommonConfig(AppConfig):
    name = "arena.common"
    label = "common"

    def ready(self) -> None:
        """Enable the garbage collector, which the settings disabled, and exempt what is loaded from it."""
        register_converters()
        message_context_connect()
        connection_created.connect(unicode_like_register)
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])
        gc.enable()
