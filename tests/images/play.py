"""``python -m tests.images.play URL``: the demo's tournaments on a running site, from its own container."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
django.setup()

from django.core.management.base import CommandParser  # noqa: E402
from django.db import connection  # noqa: E402
from rich.console import Console  # noqa: E402

from arena.matches.workers import workers_alive  # noqa: E402
from benchmarks.demo.command import Command  # noqa: E402
from benchmarks.demo.event_steps import EventStalled  # noqa: E402
from benchmarks.demo.site import START_S, SiteError  # noqa: E402
from bots.kit.errors import KitError  # noqa: E402


class RunningSite:
    """A site that another container serves."""

    is_ours = False

    def __init__(self, url: str) -> None:
        self.url = url

    def wait_ready(self, _: Callable[[], bool]) -> str:
        """Wait for a worker that can run bots."""
        deadline = time.monotonic() + START_S
        while not workers_alive().exclude(runtimes={}).exists():
            connection.close()
            if time.monotonic() > deadline:
                raise SiteError("no worker can run bots")
            time.sleep(0.5)
        return self.url

    def look_after(self) -> None:
        """Its processes are watched from outside."""


class RemoteDemo(Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("url")

    def handle(self, *args: Any, **options: Any) -> None:
        self.console = Console(highlight=False)
        site: Any = RunningSite(options["url"])
        try:
            self._play(site, options["boards"], options["preset"])
        except (EventStalled, KitError, SiteError) as error:
            self.console.print(str(error), style="red")
            sys.exit(1)

    def _runtimes(self) -> None:
        for worker in workers_alive():
            self._say(
                "sandbox",
                f"worker {worker.name}: level {worker.sandbox_level}, runtimes {', '.join(worker.runtimes)}",
            )
        connection.close()


if __name__ == "__main__":
    RemoteDemo().run_from_argv(["python -m", "tests.images.play", *sys.argv[1:]])
