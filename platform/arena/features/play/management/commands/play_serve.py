"""``manage.py play_serve``: run live tables of all features until SIGTERM or SIGINT."""

from __future__ import annotations

import gc
import logging
import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.module_loading import import_string

from arena.common.management.arguments import whole_number
from arena.common.process_releases import release_announce_regularly
from arena.common.reporting import reporting_start
from arena.common.revisions import startup_refusal
from arena.mounts import FEATURES
from arena.settings.play import MAX_VALUE
from arena.tables.live.service import Service
from arena.tables.readiness import readiness_find
from referee.errors import RefereeError
from referee.sandbox import janitor
from referee.staging import clean_stage

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Claims tables and plays them. Several processes may run, on one machine or more."""

    help = "Run the tables at which people and remote bots play with bots."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--tables",
            type=whole_number(1, MAX_VALUE),
            default=None,
            help="tables at once (default: RENSHO_PLAY_TABLES)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if refusal := startup_refusal():
            raise CommandError(refusal)
        reporting_start()
        release_announce_regularly("play")
        kinds = [import_string(feature.live_tables) for feature in FEATURES if feature.live_tables]
        service = Service(kinds, capacity=options["tables"])
        readiness = readiness_find()
        if not readiness.is_ready:
            service.detail = readiness.refusal
            log.error("this process cannot run tables: %s", readiness.refusal)
        for clean in (janitor, clean_stage):
            try:
                for removed in clean():
                    log.warning("janitor: removed %s", removed)
            except (RefereeError, OSError) as error:
                log.warning("janitor: %s", error)
        thread = threading.Thread(target=service.run, name="play: service")

        def stop(number: int, frame: FrameType | None) -> None:
            service.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        # Exclude all loaded objects from garbage collection, which delays the tables.
        gc.collect()
        gc.freeze()
        thread.start()
        log.info("%s runs up to %d tables", service.name, service.capacity)
        while thread.is_alive():
            thread.join(1.0)
