"""``manage.py serve``: run the web server."""

from __future__ import annotations

import gc
import logging
import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.common.maintenance import maintenance_follow
from arena.common.management.arguments import port_number, whole_number
from arena.common.metrics import flush_regularly
from arena.operations.installation import port_claim, socket_claim
from arena.operations.supervisor import SupervisorError
from arena.operations.web_presence import web_presence_start
from arena.server.run import GRACE_S, server_run
from arena.server.static_files import static_collect
from arena.settings.names import unknown_name_warnings

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Serves site and API until a stop signal."""

    help = (
        "Serve site and API until SIGINT or SIGTERM; limits come from RENSHO_SERVER_... in the environment."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default 127.0.0.1)")
        parser.add_argument(
            "--port", type=port_number, default=8000, help="port to listen at; 0 = any (default 8000)"
        )
        parser.add_argument("--uds", help="path of a unix socket to listen at instead of a port")
        parser.add_argument(
            "--grace-s",
            type=whole_number(0, 3600),
            default=GRACE_S,
            help=f"seconds to let requests and streams end when the server stops (default {GRACE_S})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["uds"]:
                socket_claim(options["uds"])
            else:
                port_claim(options["host"], options["port"])
        except SupervisorError as error:
            raise CommandError(str(error)) from None
        for message in unknown_name_warnings(os.environ):
            log.warning("%s", message)
        static_collect()
        from arena.asgi import application

        # Objects loaded by now are permanent. Scanning them for cycles, as the collector does periodically,
        # would hold up all requests for a tenth of a second.
        gc.collect()
        gc.freeze()
        flush_regularly()
        maintenance_follow()
        web_presence_start(options["uds"] or f"{options['host']}:{options['port']}")
        server_run(
            application,
            settings.SERVER_LIMITS,
            host=options["host"],
            port=options["port"],
            uds=options["uds"],
            grace_s=options["grace_s"],
        )
