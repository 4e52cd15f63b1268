"""Tournaments of small deterministic bots, uploaded, checked and started by the services of the site.

For a process with the settings of an installation.
"""

from __future__ import annotations

import datetime
import io
import math
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import entry_create, tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.jobs.tasks import version_check
from arena.jobs.uploads import version_submit
from arena.roster.models import BotVersion, CheckRun
from engine import preset_named
from tests import factories

BOTS = 8
"""Bots of each game, each of another account."""
SMALL_FIELD = 4
"""Entries of a tournament if fewer than ``LARGE_TABLES`` are needed."""
LARGE_TABLES = 500
EVENTS: tuple[dict[str, Any], ...] = (
    {"preset": "kakkuri", "ruleset": {"seats": 2}},
    {"preset": "kakkuri", "ruleset": {"seats": 2}},
    {"preset": "kakeya4"},
)
"""Fields of the tournaments, in turn. Two seats cost half as much CPU as four."""
CHECKS_S = 900.0
OPEN = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
SOURCE = """
import json, sys, zlib

def reply(line):
    message = json.loads(line)
    if message["type"] == "hello":
        return b'{{"type":"ready"}}'
    if message["type"] == "request":
        legal = message["legal"]
        choice = zlib.crc32((" ".join(legal) + "{name}").encode()) % len(legal)
        return json.dumps({{"id": message["id"], "action": legal[choice]}}).encode()

if __name__ == "__main__":
    for line in sys.stdin.buffer:
        if answer := reply(line):
            sys.stdout.buffer.write(answer + b"\\n")
            sys.stdout.buffer.flush()
"""
"""A bot whose actions depend on the legal ones and its name; other code may call ``reply``."""


def bot_zip(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{name}.py", SOURCE.format(name=name))
        archive.writestr("rensho.toml", f'name = "chaos"\nruntime = "python/1"\nentry_point = "{name}.py"\n')
    return packed.getvalue()


def bots_upload(token: str, game: str, owners: Iterable[User]) -> list[BotVersion]:
    """Upload a bot of each account, or return those of an earlier call."""
    versions = []
    for number, owner in enumerate(owners):
        name = f"{token}{game}{number}"
        existing = BotVersion.objects.filter(bot__name=name).first()
        bot = existing.bot if existing else factories.a_bot(owner, name, game=game)
        versions.append(existing or version_submit(bot, bot_zip(name), "bot.zip", "", owner).version)
    return versions


def bots_check(versions: Iterable[BotVersion]) -> None:
    """Check these versions in this process."""
    for version in versions:
        for check in version.checks.filter(state=CheckRun.State.WAITING):
            version_check(check.pk)


def bots_await(versions: Sequence[BotVersion]) -> None:
    """Wait until all these versions have passed their checks. Raises AssertionError."""
    deadline = time.monotonic() + CHECKS_S
    for version in versions:
        while True:
            version.refresh_from_db()
            if version.state == BotVersion.State.READY:
                break
            is_open = version.checks.filter(state__in=OPEN).exists()
            if not is_open or time.monotonic() > deadline:
                raise AssertionError(f"{version} is {version.state}: {version.reasons}")
            time.sleep(0.2)


def event_lock(versions: Iterable[BotVersion], **fields: Any) -> Tournament:
    """Make a round robin of these versions, ready to start."""
    tournament = factories.an_open_tournament(**{"boards_per_round": 1, **fields})
    for version in versions:
        entry_create(tournament, version, version.bot.owner.user)
    tournament_lock(tournament, tournament.organiser)
    return tournament


def event_start(versions: Iterable[BotVersion], **fields: Any) -> Tournament:
    """Start a round robin of these versions, and open its first round."""
    tournament = event_lock(versions, **fields)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    return tournament


def bots_prepare(token: str, *, checks_here: bool = False) -> dict[str, list[BotVersion]]:
    """Return checked bots by game. Workers check them, unless this process does.

    Later calls with the same token return the same bots. The names of their files contain it, so that their
    processes can be found.
    """
    owners = factories.players(BOTS)
    bots = {game: bots_upload(token, game, owners) for game in sorted(set(map(_game, EVENTS)))}
    for versions in bots.values():
        if checks_here:
            bots_check(versions)
        bots_await(versions)
    return bots


def events_plan(bots: Mapping[str, Sequence[BotVersion]], tables: int, over_s: float) -> int:
    """Make tournaments with at least so many tables, and return the exact number.

    The tick starts them one after the other within ``over_s`` seconds from now.
    """
    field = SMALL_FIELD if tables < LARGE_TABLES else BOTS
    # A round robin, whose fixtures have two tables each.
    count = math.ceil(tables / (field * (field - 1)))
    now = timezone.now()
    for number in range(count):
        fields = EVENTS[number % len(EVENTS)]
        starts_at = now + datetime.timedelta(seconds=over_s * number / count)
        event_lock(bots[_game(fields)][:field], **fields, starts_at=starts_at)
    return count * field * (field - 1)


def _game(fields: Mapping[str, Any]) -> str:
    return preset_named(fields["preset"])[0].key
