"""``python -m benchmarks.seeding``: fills a database with events for load work."""

from __future__ import annotations

import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from rich.console import Console

from arena.common.errors import ArenaError
from benchmarks.demo import show
from benchmarks.seeding.guard import BEGUN, DONE, mark, require_fit
from benchmarks.seeding.seed import PRESETS, SeedingRequest, database_seed

MAX_BOTS = 100_000
MAX_FIXTURES = 2_000_000


class Command(BaseCommand):
    """Status 0: the database is seeded; 1: refused, with the reason."""

    help = (
        "Fill an empty database with players, bots and tournaments in every state, for load work. Deals, "
        "records, results and standings are real; times and CPU are made up. Equal seeds give equal data."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bots", type=int, default=400, help="bots to make (default 400)")
        parser.add_argument("--fixtures", type=int, default=1000, help="fixtures at least (default 1000)")
        parser.add_argument("--seed", type=int, default=1, help="what everything follows from (default 1)")
        parser.add_argument(
            "--presets",
            nargs="+",
            metavar="NAME",
            default=list(PRESETS),
            help=f"default: {' '.join(PRESETS)}",
        )
        parser.add_argument(
            "--into-existing", action="store_true", help="seed a database that is not empty, for good"
        )
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def handle(self, *args: Any, **options: Any) -> None:
        request = self._request(options)
        size = {"bots": request.bots, "fixtures": request.fixtures, "presets": list(request.presets)}
        if not require_fit(request.seed, size, into_existing=options["into_existing"]):
            self.stdout.write(
                f"This database has been seeded so already (seed {request.seed}); nothing to do."
            )
            return
        mark(BEGUN, request.seed, size)
        started = time.monotonic()
        fixtures = events = 0
        console = Console(file=sys.stderr, quiet=options["quiet"], highlight=False)
        try:
            with show.bars(console) as bars:
                task = bars.add_task("seeding", total=request.fixtures, note="")
                for event in database_seed(
                    request, lambda note, by: bars.update(task, advance=by, note=note)
                ):
                    events += 1
                    fixtures += event.fixtures
        except ArenaError as error:
            raise CommandError(f"The seeding broke off: {error.message}") from error
        mark(DONE, request.seed, size)
        self.stdout.write(
            f"Seeded {request.bots} bots and {events} tournaments with {fixtures} fixtures in "
            f"{time.monotonic() - started:.0f} s (seed {request.seed}, {connections['default'].vendor})."
        )

    def _request(self, options: dict[str, Any]) -> SeedingRequest:
        """Return the checked request.

        Raises:
            CommandError: a number out of bounds, an unknown preset, too few bots for its tables.
        """
        for name, most in (("bots", MAX_BOTS), ("fixtures", MAX_FIXTURES)):
            if not 1 <= options[name] <= most:
                raise CommandError(f"--{name} must be from 1 to {most}, not {options[name]}.")
        request = SeedingRequest(
            options["seed"], options["bots"], options["fixtures"], tuple(dict.fromkeys(options["presets"]))
        )
        try:
            fewest = request.fewest_bots()
        except ArenaError as error:
            raise CommandError(error.message) from None
        if request.bots < fewest:
            raise CommandError(
                f"--bots must be at least {fewest}: the presets {', '.join(request.presets)} need so many "
                f"for two full tables each; not {request.bots}."
            )
        return request
