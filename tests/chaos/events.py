"""Tournaments of small deterministic bots, uploaded, checked and started by the services of the site.

``prepare`` runs in a process with the settings of an installation.
"""

from __future__ import annotations

import io
import itertools
import time
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from arena.accounts.models import User
from arena.competition.models import Tournament
from arena.competition.services import entry_create, tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.jobs.tasks import version_check
from arena.jobs.uploads import version_submit
from arena.matches.models import Table
from arena.roster.models import BotVersion, CheckRun
from engine import preset_named
from tests import factories

BOTS = 8
"""Bots of each game, each of another account."""
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


def event_start(versions: Iterable[BotVersion], **fields: Any) -> Tournament:
    """Start a round robin of these versions, and open its first round."""
    tournament = factories.an_open_tournament(**{"boards_per_round": 1, **fields})
    for version in versions:
        entry_create(tournament, version, version.bot.owner.user)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    return tournament


def tables_of(tournament: Tournament) -> int:
    """Return how many tables a round robin with its first round open will have: rounds are equal."""
    return Table.objects.filter(tournament=tournament).count() * (tournament.entries.count() - 1)


def prepare(token: str, tables: int, *, checks_here: bool = False) -> int:
    """Start tournaments with at least so many tables, and return the exact number.

    Later calls with the same token use the same bots. The names of the bots' files contain it, so that their
    processes can be found. Workers check the bots, unless this process does.
    """
    owners = factories.players(BOTS)
    games = sorted({preset_named(fields["preset"])[0].key for fields in EVENTS})
    bots = {game: bots_upload(token, game, owners) for game in games}
    for versions in bots.values():
        if checks_here:
            bots_check(versions)
        bots_await(versions)
    count = 0
    for fields in itertools.cycle(EVENTS):
        if count >= tables:
            break
        count += tables_of(event_start(bots[preset_named(fields["preset"])[0].key], **fields))
    return count
