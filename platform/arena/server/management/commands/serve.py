"""``manage.py serve``: run the web server."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from arena.common.maintenance import maintenance_follow
from arena.common.management.arguments import port_number, whole_number
from arena.common.metrics import flush_regularly
from arena.common.process_releases import release_announce_regularly
from arena.common.revisions import startup_refusal
from arena.common.web_presence import web_presence_start
from arena.jobs.start_report import start_report
from arena.operations.installation import port_claim, socket_claim
from arena.operations.supervisor import SupervisorError
from arena.server.draining import GRACE_S
from arena.server.process_metrics import gauges_publish_regularly
from arena.server.processes import ProcessesError, WebProcesses, die_with_parent
from arena.server.run import listening_socket, server_run
from arena.server.service_manager import PassedSocketError, address_of, passed_socket, socket_of
from arena.server.static_files import static_collect
from arena.settings.names import unknown_name_warnings

log = logging.getLogger(__name__)


def _reload_refuse(*_: object) -> None:
    log.warning(
        "the site is not reloaded: this needs RENSHO_WEB_PROCESSES of at least 2. Restart it instead."
    )


class Command(BaseCommand):
    """Serves site and API until a stop signal."""

    help = (
        "Serve site and API until SIGINT or SIGTERM, in RENSHO_WEB_PROCESSES processes, which SIGHUP "
        "replaces in turn; limits come from RENSHO_SERVER_... in the environment. A socket that systemd "
        "passes replaces host and port."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default 127.0.0.1)")
        parser.add_argument(
            "--port", type=port_number, default=8000, help="port to listen at; 0 = any (default 8000)"
        )
        parser.add_argument("--uds", help="path of a unix socket to listen at instead of a port")
        parser.add_argument("--fd", type=int, help="descriptor of a listening socket, of the parent process")
        parser.add_argument(
            "--grace-s",
            type=whole_number(0, 3600),
            default=GRACE_S,
            help=f"seconds for running requests when the server stops (default {GRACE_S})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        is_child = options["fd"] is not None
        try:
            listening = socket_of(options["fd"]) if is_child else passed_socket()
            if listening is None:
                if options["uds"]:
                    socket_claim(options["uds"])
                else:
                    port_claim(options["host"], options["port"])
        except (PassedSocketError, SupervisorError) as error:
            raise CommandError(str(error)) from None
        if is_child:
            die_with_parent()
        else:
            refusal = startup_refusal()
            connections.close_all()
            if refusal:
                raise CommandError(refusal)
            for message in unknown_name_warnings(os.environ):
                log.warning("%s", message)
            report = {"storage": True}  # startup_refusal has reported the database
            threading.Thread(target=start_report, kwargs=report, name="start-report", daemon=True).start()
            static_collect()
        if not is_child and settings.WEB_PROCESSES == 1 and not sys.stdin.isatty():
            signal.signal(signal.SIGHUP, _reload_refuse)
        if settings.WEB_PROCESSES > 1 and not is_child:
            listening = listening or listening_socket(options["host"], options["port"], options["uds"])
            self._run_several(listening, options["grace_s"])
            return
        self._run(listening, options)

    def _run_several(self, listening: socket.socket, grace_s: int) -> None:
        argv = (sys.executable, "-m", "django", "serve", "--grace-s", str(grace_s))
        try:
            WebProcesses(argv, settings.WEB_PROCESSES, listening, grace_s).run()
        except ProcessesError as error:
            raise CommandError(f"The site is not served: {error}.") from None

    def _run(self, listening: socket.socket | None, options: dict[str, Any]) -> None:
        from arena.asgi import application

        # Objects loaded by now are permanent. Scanning them for cycles, as the collector does periodically,
        # would hold up all requests for a tenth of a second.
        gc.collect()
        gc.freeze()
        flush_regularly()
        maintenance_follow()
        gauges_publish_regularly()
        configured = options["uds"] or f"{options['host']}:{options['port']}"
        release_announce_regularly("web")
        web_presence_start(configured if listening is None else address_of(listening))
        server_run(
            application,
            settings.SERVER_LIMITS.share(settings.WEB_PROCESSES),
            listening=listening,
            on_stop=application.drain,
            host=options["host"],
            port=options["port"],
            uds=options["uds"],
            grace_s=options["grace_s"],
        )
