"""``manage.py analysis_serve``: analyse tables and solve positions until SIGTERM or SIGINT."""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.common.process_releases import release_announce_regularly
from arena.common.reporting import reporting_start
from arena.common.revisions import startup_refusal
from arena.features.analysis.heartbeat import Queue
from arena.features.analysis.runner.service import Service

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Runs both queues, or one. Leases make a second process harmless."""

    help = "Analyse played tables, and solve positions for visitors."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queue", choices=Queue.values, help="only this queue (default: both)")

    def handle(self, *args: Any, **options: Any) -> None:
        if refusal := startup_refusal():
            raise CommandError(refusal)
        reporting_start()
        release_announce_regularly("analysis")
        service = Service([Queue(options["queue"])] if options["queue"] else list(Queue))

        def stop(number: int, frame: FrameType | None) -> None:
            service.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        log.info("%s serves %s", service.name, options["queue"] or "both queues")
        if not service.run():
            raise CommandError("a queue ended unexpectedly; its error is logged above")
