"""``manage.py play_serve``: runs the tables of persons with bots, until a stop signal."""

from __future__ import annotations

import gc
import logging
import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.common.management.arguments import whole_number
from arena.common.revisions import startup_refusal
from arena.features.play.runner.service import Service
from arena.settings.play import MOST
from arena.tables.readiness import readiness_find
from referee.errors import RefereeError
from referee.sandbox import janitor
from referee.staging import clean_stage

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Claims tables and plays them; several may run, on one machine or many."""

    help = "Run the tables at which persons play with bots."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--tables",
            type=whole_number(1, MOST),
            default=None,
            help="tables at once (default: RENSHO_PLAY_TABLES)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGTERM or SIGINT."""
        if refusal := startup_refusal():
            raise CommandError(refusal)
        service = Service(capacity=options["tables"])
        found = readiness_find()
        if not found.is_ready:
            service.detail = found.refusal
            log.error("no tables are run here: %s", found.refusal)
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
        # What is loaded by now stays: the service's collections, which hold up its tables, pass over it.
        gc.collect()
        gc.freeze()
        thread.start()
        log.info("%s runs up to %d tables", service.name, service.capacity)
        while thread.is_alive():
            thread.join(1.0)
