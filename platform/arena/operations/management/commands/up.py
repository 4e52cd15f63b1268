"""``manage.py up``: run the whole installation under one supervisor until Ctrl-C."""

from __future__ import annotations

import datetime
import os
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.text import Text

from arena.common.errors import ArenaError, quoted
from arena.common.management.arguments import port_number, whole_number
from arena.common.management.database_command import DatabaseCommand
from arena.features.ladders.installing import ladders_remedy, ladders_unknown
from arena.jobs.start_report import service_problems
from arena.jobs.worker import node_name, second_host_refusal
from arena.matches.models import Table, Worker
from arena.operations.broker import BrokerError
from arena.operations.child_process import Child
from arena.operations.house import cups_open, house_bots_submit
from arena.operations.installation import (
    broker_gate,
    installation_children,
    is_listening,
    manage_command,
    port_claim,
    site_url,
    web_answers,
)
from arena.operations.runtimes import kernel_publish_missing
from arena.operations.supervisor import Supervisor, SupervisorError, Watch, data_lock
from arena.settings.names import unknown_name_warnings
from arena.tables.readiness import readiness_find
from engine.printable import printable
from referee.errors import SandboxUnavailable
from referee.sandbox.child import usable_cores

TABLES_MOST = 10_000


class Command(DatabaseCommand):
    """Starts broker, workers, beat and web server, restarts them if they die, and stops them in order."""

    help = "Run the whole installation: broker, workers, beat and web server."
    checks_release = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to serve on (default 127.0.0.1)")
        parser.add_argument(
            "--port", type=port_number, default=8000, help="port to serve on; 0 = any free one (default 8000)"
        )
        parser.add_argument(
            "--workers",
            type=whole_number(0, TABLES_MOST),
            default=0,
            help="tables at once; 0 = one per usable core (default)",
        )
        parser.add_argument(
            "--no-house",
            action="store_true",
            help="upload no house bots and open no daily cups",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.console = Console(stderr=False, highlight=False, soft_wrap=True)
        try:
            with data_lock(settings.DATA):
                workers = options["workers"] or usable_cores()
                self._run(options["host"], options["port"], workers, has_house=not options["no_house"])
        except (SupervisorError, BrokerError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(
                f"{error}. Is {settings.DATA} writable for this user, and its disk not full?"
            ) from None

    def _run(self, host: str, port: int, workers: int, *, has_house: bool) -> None:
        port = port_claim(host, port)
        url = site_url(host, port)
        self._say("data", f"{settings.DATA}, logs in {settings.DATA / 'logs'}")
        self._settings_report()
        # Before anything is changed.
        for problem in service_problems(broker=not settings.BROKER_IS_MANAGED, storage=True):
            raise SupervisorError(problem)
        call_command("migrate", interactive=False, verbosity=0)
        self._say("database", f"{connection.vendor}, migrated")
        self._replays_report()
        refusal = second_host_refusal(node_name("tables"))
        if refusal:
            raise SupervisorError(refusal)
        self._runtimes_publish()
        self._sandbox_report()
        if has_house:
            self._house_submit()
        connection.close()
        children = installation_children(host, port, workers)
        web = next(child for child in children if child.spec.name == "web")
        self.web_is_up = self.worker_is_up = False
        self.cups_are_open = not has_house
        self.started_at = time.monotonic()
        self.started = timezone.now()
        Supervisor(
            settings.DATA,
            children,
            self._say,
            url=url,
            gates={"broker": broker_gate(self._say)},
            watches=[
                Watch(0.2, lambda: self._web_watch(web, host, port, url)),
                Watch(0.5, self._worker_watch),
                Watch(2.0, self._cups_watch),
            ],
        ).run()
        self._say("up", "all processes have stopped")

    def _settings_report(self) -> None:
        """Report settings that have no effect because their names are unknown."""
        for message in unknown_name_warnings(os.environ):
            self._say("settings", message, "yellow")
        for name in ladders_unknown():
            message = f"RENSHO_LADDERS: {quoted(name)} is no preset. {ladders_remedy(name)}"
            self._say("settings", message, "yellow")

    def _replays_report(self) -> None:
        """Report the number of finished tables without a view."""
        count = Table.objects.filter(state=Table.State.FINISHED, view_sha256="").count()
        if count:
            message = f"{count} finished tables have none; create them: {manage_command()} views_make"
            self._say("replays", message, "yellow")

    def _runtimes_publish(self) -> None:
        """Publish the kernel of this release to the workers, if it is compiled here."""
        try:
            published = kernel_publish_missing()
        except SandboxUnavailable as error:
            self._say("runtimes", f"not published: {error.step}. {error.remedy}", "yellow")
            return
        if published is not None and published.is_new:
            self._say("runtimes", f"{published.runtime}: artefact {published.sha256[:12]} published")

    def _sandbox_report(self) -> None:
        """Build runtimes before the workers would, and report early why bots cannot run."""
        readiness = readiness_find()
        if readiness.is_ready:
            self._say("sandbox", f"level {readiness.level}, runtimes {', '.join(readiness.runtimes)}")
            for text in readiness.refusals:
                self._say("sandbox", f"without {text}", "yellow")
            return
        self._say("sandbox", f"level {readiness.level}: no table can be played here", "red")
        for text in readiness.missing:
            self._say("sandbox", text, "red")

    def _house_submit(self) -> None:
        bots = house_bots_submit()
        if bots:
            self._say("house", f"{len(bots)} house bots uploaded; each plays once it passes its check")

    def _cups_watch(self) -> None:
        if self.cups_are_open:
            return
        try:
            opened = cups_open()
        except DatabaseError:
            return  # busy; the next look is soon
        except ArenaError as error:
            self._say("cups", f"no daily cups: {error.message}", "yellow")
            opened = []
        finally:
            connection.close()
        if opened is None:
            return
        self.cups_are_open = True
        for series in opened:
            self._say("cups", f"{series.name}, every day at {series.start_time:%H:%M} UTC; enter it now")

    def _web_watch(self, web: Child, host: str, port: int, url: str) -> None:
        """Report once that this site answers, and not another process on the same port."""
        if self.web_is_up or not web_answers(url):
            return
        if is_listening(web.pid, port):
            self.web_is_up = True
            self._say("web", f"answers after {time.monotonic() - self.started_at:.1f} s")
            self._say("up", f"the site is at {url} (Ctrl-C stops it)", "bold")
            self._say(
                "token", f"create an account and its token: {manage_command()} user_create NAME --token"
            )
            self._say("token", f"store the token in your kit: rensho login {url}")
        elif web.pid is None or web.starts > 1:  # else it may still be about to listen
            raise SupervisorError(
                f"cannot serve on {host} port {port}: another program took it while this one started. "
                "Choose another with --port; 0 = any."
            )

    def _worker_watch(self) -> None:
        if self.worker_is_up:
            return
        try:
            since = self.started - datetime.timedelta(seconds=1)
            worker = Worker.objects.filter(name=node_name("tables"), heartbeat_at__gte=since).first()
        except DatabaseError:
            return  # busy; the next look is soon
        finally:
            connection.close()
        if worker is not None:
            self.worker_is_up = True
            elapsed_s = time.monotonic() - self.started_at
            self._say(
                "tables", f"{worker.capacity} at once, level {worker.sandbox_level}, after {elapsed_s:.1f} s"
            )

    def _say(self, who: str, text: str, style: str = "") -> None:
        self.console.print(Text.assemble((f"{who:>12}", "cyan"), "  ", (printable(text), style)))
