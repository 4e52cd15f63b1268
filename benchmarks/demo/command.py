"""``python -m benchmarks.demo``: the whole system, from upload to verified standings."""

from __future__ import annotations

import contextlib
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.text import Text

from arena.accounts.models import User
from arena.accounts.services import token_create, token_revoke, user_create
from arena.jobs.worker import node_name
from arena.matches.workers import workers_alive
from arena.operations.house import ORGANISER, cups_open, house_bots_upload
from arena.operations.installation import manage_command, port_claim
from arena.operations.supervisor import SupervisorError
from arena.tables.readiness import readiness_find
from benchmarks.demo import show
from benchmarks.demo.client import DemoClient, folder_zip
from benchmarks.demo.event_steps import (
    Entrant,
    EventStalled,
    boards_to_play,
    checks_watch,
    event_open,
    event_start,
    event_watch,
    upload,
)
from benchmarks.demo.fairness import export_disagreements, fairness_disagreements
from benchmarks.demo.programme import DemoBot, DemoEvent, plans_of, programme
from benchmarks.demo.site import DemoSite, SiteError
from bots.kit.errors import KitError

PORT = 8000
NO_SANDBOX = 3


class Command(BaseCommand):
    """Status 0: every tournament final and verified; 3: bots cannot run here; 1: any other failure."""

    help = "Run the whole system: upload bots, play a tournament of every game, verify, leave the site up."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--exit", action="store_true", help="stop everything after the standings")
        parser.add_argument(
            "--boards",
            type=int,
            default=16,
            help="deal boards a fixture of two pairs (default 16); larger tables play fewer",
        )
        parser.add_argument(
            "--preset", action="append", metavar="NAME", help="play only the tournament of this preset"
        )
        parser.add_argument("--port", type=int, help=f"port of the site (default {PORT}, or any if taken)")
        parser.add_argument(
            "--workers", type=int, default=0, help="tables at once (default: one a usable core)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Play all events, and keep the site up until Ctrl-C unless ``--exit`` is given."""
        self.console = Console(highlight=False)
        extra = self._sandbox()
        try:
            port = self._port(options["port"])
            with DemoSite(port, workers=options["workers"], extra=extra) as site:
                self._play(site, options["boards"], options["preset"])
                self._stay(site, options["exit"])
        except (EventStalled, KitError, SiteError, SupervisorError) as error:
            self.console.print(Text(str(error), "red"))
            sys.exit(1)
        except KeyboardInterrupt:
            self.console.print("stopped before the end")
            sys.exit(1)

    def _sandbox(self) -> dict[str, str]:
        """Return the environment variables for the available sandbox level; exit with status 3 without a
        sandbox.
        """
        readiness = readiness_find()
        if readiness.level == "COMPAT" and not readiness.is_ready:
            self._say("sandbox", "level COMPAT: enough for the house's own bots, not for strangers'")
            for text in readiness.missing:
                self._say("sandbox", text, "yellow")
            return {"SANDBOX_MIN_LEVEL": "COMPAT"}
        if not readiness.is_ready:
            self.console.print(Text(f"Bots cannot be run here (sandbox level {readiness.level}):", "red"))
            for text in readiness.missing:
                self.console.print(Text(f"  {text}"))
            sys.exit(NO_SANDBOX)
        self._say("sandbox", f"level {readiness.level}")
        return {}

    def _runtimes(self) -> None:
        readiness = readiness_find(again=True)
        if readiness.is_ready:
            self._say("runtimes", ", ".join(readiness.runtimes))
        for text in readiness.refusals:
            self._say("runtimes", f"without {text}", "yellow")

    def _port(self, requested: int | None) -> int:
        try:
            return port_claim("127.0.0.1", PORT if requested is None else requested)
        except SupervisorError:
            if requested is not None:
                raise
            return 0

    def _play(self, site: DemoSite, boards: int, only: list[str] | None) -> None:
        with self.console.status("starting broker, workers and web server"):
            url = site.wait_ready(worker_is_ready)
        self._say(
            "site", f"{url} {'started' if site.is_ours else 'was running already'}, data in {settings.DATA}"
        )
        self._runtimes()
        with contextlib.ExitStack() as stack:
            organiser = stack.enter_context(account_client(url, ORGANISER, is_organiser=True))
            events = chosen(self._programme(organiser, boards), only)
            names = dict.fromkeys(part.account for event in events for part in event.parts)
            clients = {name: stack.enter_context(account_client(url, name)) for name in names}
            versions = self._upload(site, clients, events)
            for event in events:
                entrants = [(clients[part.account], versions[part]) for part in event.parts]
                self._tournament(site, organiser, event, entrants)
            count = f"{len(events)} tournament{'s' * (len(events) != 1)}"
            self._say("done", f"{count} final and verified", "bold")

    def _programme(self, viewer: DemoClient, boards: int) -> list[DemoEvent]:
        games = viewer.get("games")
        sides = {
            preset: len(viewer.get(f"games/{game['key']}/presets/{preset}")["sides"])
            for game in games
            for preset in plans_of(game)
        }
        return programme(games, sides, settings.REPOSITORY / "bots", boards)

    def _upload(
        self, site: DemoSite, clients: dict[str, DemoClient], events: Sequence[DemoEvent]
    ) -> dict[DemoBot, str]:
        versions: dict[DemoBot, str] = {}
        for part in dict.fromkeys(part for event in events for part in event.parts):
            entrant = Entrant(
                clients[part.account], bot_name(part.folder), part.game, folder_zip(part.folder)
            )
            version = upload(entrant)
            self._say("upload", f"{entrant.bot} v{version['number']} by {part.account}: {version['state']}")
            versions[part] = version["id"]
        pending = [(clients[part.account], version) for part, version in versions.items()]
        with show.bars(self.console) as progress:
            task = progress.add_task("checks in the sandbox", total=len(pending), note="")
            for version in checks_watch(pending, site.look_after):
                note = f"{version['bot_name']} v{version['number']} {version['state']}"
                progress.update(task, advance=1, note=note)
        return versions

    def _tournament(
        self,
        site: DemoSite,
        organiser: DemoClient,
        planned: DemoEvent,
        entrants: list[tuple[DemoClient, str]],
    ) -> None:
        name = f"Demo {planned.name} {timezone.now():%Y-%m-%d %H:%M:%S}"
        event = event_open(organiser, name, planned.preset, planned.boards, ruleset=planned.ruleset)
        promised = event["commitment"]
        self._say("tournament", f"{name}: {len(entrants)} entries, {len(event['sides'])} at a table", "bold")
        self._say("fair deals", f"commitment {promised}, published before anybody entered")
        started = time.monotonic()
        locked = event_start(organiser, event["id"], entrants)
        glances = event_watch(organiser, event["id"], site.look_after)
        last = show.watch(self.console, glances, boards_to_play(locked))
        seconds = time.monotonic() - started
        for stage in organiser.get(f"tournaments/{event['id']}/standings"):
            show.standings(self.console, last.event, stage["rows"])
        self._verify(organiser, event["id"], promised)
        self._say("time", f"{show.extent(last)}: {seconds:.1f} s", "bold")
        self._say("site", f"{site.url}tournaments/{event['id']}")

    def _verify(self, viewer: DemoClient, event_id: str, promised: str) -> None:
        """Compute everything again from published data; raises EventStalled on a difference."""
        fairness = viewer.get(f"tournaments/{event_id}/fairness")
        entries = list(viewer.all(f"tournaments/{event_id}/entries"))
        path = settings.DATA / "exports" / f"{event_id}.zip"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(viewer.content(f"tournaments/{event_id}/export"))
        wrong = [*fairness_disagreements(promised, fairness, entries), *export_disagreements(path)]
        if wrong:
            raise EventStalled("the event does not verify:\n  " + "\n  ".join(wrong))
        seeds = sum(len(played["seeds"]) for played in fairness["board_sets"])
        self._say(
            "verified",
            f"secret {fairness['secret'][:16]}… has the committed hash; {seeds} deals follow from it",
        )
        self._say(
            "verified", f"rensho verify {path.name}: every deal, record, score and standing derived again"
        )
        self._say("export", str(path))

    def _stay(self, site: DemoSite, leave: bool) -> None:
        if leave or not site.is_ours:
            return
        if bots := house_bots_upload():
            names = ", ".join(bot.name for bot in bots)
            self._say("house", f"{names} uploaded as well; each plays once it passes its check")
        for series in cups_open() or ():
            self._say("cups", f"{series.name}, every day at {series.start_time:%H:%M} UTC; enter it now")
        connection.close()
        self._say("token", f"make an account and its token: {manage_command()} user_create NAME --token")
        self._say("token", f"give the token to your kit: rensho login {site.url}")
        self._say("site", f"{site.url} stays up; Ctrl-C stops it", "bold")
        try:
            while True:
                site.look_after()
                time.sleep(0.5)
        except KeyboardInterrupt:
            self._say("site", "stopping")

    def _say(self, who: str, text: str, style: str = "") -> None:
        self.console.print(Text.assemble((f"{who:>12}", "cyan"), "  ", (text, style)), soft_wrap=True)


def worker_is_ready() -> bool:
    try:
        return workers_alive().filter(name=node_name("tables")).exclude(runtimes={}).exists()
    finally:
        connection.close()


def chosen(events: list[DemoEvent], presets: list[str] | None) -> list[DemoEvent]:
    """Return the events of these presets, or all.

    Raises:
        EventStalled: the demo does not play one of them.
    """
    played = [event.preset for event in events]
    for name in presets or ():
        if name not in played:
            raise EventStalled(f"the demo does not play {name!r}; it plays: {', '.join(played)}")
    return [event for event in events if presets is None or event.preset in presets]


@contextlib.contextmanager
def account_client(url: str, name: str, *, is_organiser: bool = False) -> Iterator[DemoClient]:
    """Yield a client for this account, creating it if necessary; the token is deleted at the end."""
    user = User.objects.filter(username=name).first() or user_create(name, is_organiser=is_organiser)
    scopes = ["read", "organise"] if is_organiser else ["read", "bots"]
    token, plain = token_create(user, name=f"demo {timezone.now():%Y-%m-%d %H:%M}", scopes=scopes, actor=user)
    connection.close()
    try:
        with DemoClient(url, plain) as client:
            yield client
    finally:
        token_revoke(token, user)
        connection.close()


def bot_name(folder: Path) -> str:
    return str(tomllib.loads((folder / "rensho.toml").read_text())["name"])
