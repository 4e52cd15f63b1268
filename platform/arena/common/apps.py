"""App configuration."""

from __future__ import annotations

import gc

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from arena.common.converters import register_converters
from arena.common.unicode_like import unicode_like_register

GC_THRESHOLD = 10_000
"""How many a process may have before the collector looks at them; Python's 700 are few for one so large."""


class CommonConfig(AppConfig):
    name = "arena.common"
    label = "common"

    def ready(self) -> None:
        """Start the garbage collector, which settings paused; what is loaded by now it never looks at."""
        register_converters()
        connection_created.connect(unicode_like_register)
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])
        gc.enable()
