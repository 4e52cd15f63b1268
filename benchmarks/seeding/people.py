"""Accounts, players, bots and checked versions of a seeded database."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db import transaction

from arena.accounts.models import AuditEvent, User
from arena.common.blobs import blob_put
from arena.common.models import Blob
from arena.roster.models import Bot, BotVersion, CheckRun, Player
from benchmarks.seeding.bundles import STYLES, SeededProgram, program, programs
from benchmarks.seeding.draw import SeededRandom

BATCH = 500
BOTS_PER_PLAYER = 4
ORGANISERS = 3
VERSIONS = (1, 2, 3)
RUNTIME_DIGEST = "5e" * 32
STEPS = [
    {"name": "import", "ok": True, "detail": "2 files"},
    {"name": "trial", "ok": True, "detail": "seeded: taken as passed"},
]


class SeededPeople(NamedTuple):
    organisers: list[User]
    versions: dict[str, list[BotVersion]]
    """Ready versions by game: the first version of every bot, then the second ones, and so on."""


def people_make(seed: int, bots: int, games: list[str], until: datetime.datetime) -> SeededPeople:
    """Create bots, equally many per game, with their owners and versions.

    Organisers are accounts, like players. No account has a password or a token.
    """
    for bundle in programs():
        blob_put(bundle.data, Blob.Kind.BUNDLE)
    draw = SeededRandom(seed, "people")
    owners = -(-bots // BOTS_PER_PLAYER)
    with transaction.atomic():
        organisers = _users(draw, f"seed{seed}-organiser", ORGANISERS, until, is_organiser=True)
        users = _users(draw, f"seed{seed}-player", owners, until)
        players = Player.objects.bulk_create(
            (Player(user=user, handle=user.username) for user in users), batch_size=BATCH
        )
    versions: dict[str, list[BotVersion]] = {game: [] for game in games}
    for start in range(0, bots, BATCH):
        numbers = range(start, min(start + BATCH, bots))
        with transaction.atomic():
            created = _bots(draw, numbers, games, players, until)
            for version in _versions(draw, numbers, created, until):
                versions[version.bot.game].append(version)
    for game in games:
        versions[game].sort(key=lambda version: (version.number, version.bot_id))
    return SeededPeople(organisers, versions)


def _users(
    draw: SeededRandom, stem: str, count: int, until: datetime.datetime, *, is_organiser: bool = False
) -> list[User]:
    users = []
    for number in range(1, count + 1):
        user = User(
            username=f"{stem}-{number:04d}",
            first_name=draw.name().capitalize(),
            last_name=draw.name().capitalize(),
            is_organiser=is_organiser,
            date_joined=until - datetime.timedelta(days=120, minutes=number),
        )
        user.set_unusable_password()
        users.append(user)
    return User.objects.bulk_create(users, batch_size=BATCH)


def _bots(
    draw: SeededRandom, numbers: range, games: list[str], players: list[Player], until: datetime.datetime
) -> list[Bot]:
    created = Bot.objects.bulk_create(
        (
            Bot(
                owner=players[number // BOTS_PER_PLAYER],
                name=f"{draw.name()}-{number + 1}",
                game=games[number % len(games)],
            )
            for number in numbers
        ),
        batch_size=BATCH,
    )
    Bot.objects.filter(pk__in=[bot.pk for bot in created]).update(
        created_at=until - datetime.timedelta(days=100)
    )
    return created


def _versions(
    draw: SeededRandom, numbers: range, bots: list[Bot], until: datetime.datetime
) -> Iterator[BotVersion]:
    """Create versions of the new bots, each of one style; the last version is active."""
    versions = []
    for offset, bot in zip(numbers, bots, strict=True):
        style = STYLES[offset // 2 % len(STYLES)]
        for number in range(1, draw.random.choice(VERSIONS) + 1):
            versions.append(_version(bot, number, program(style, min(number, 2))))
    versions = BotVersion.objects.bulk_create(versions, batch_size=BATCH)
    done = until - datetime.timedelta(days=95)
    BotVersion.objects.filter(pk__in=[version.pk for version in versions]).update(created_at=done)
    checks = CheckRun.objects.bulk_create(
        (
            CheckRun(
                version=version,
                state=CheckRun.State.DONE,
                steps=STEPS,
                started_at=done,
                finished_at=done + datetime.timedelta(seconds=4),
            )
            for version in versions
        ),
        batch_size=BATCH,
    )
    CheckRun.objects.filter(pk__in=[check.pk for check in checks]).update(created_at=done)
    audits_add(
        "upload",
        "botversion",
        (
            (version, version.bot.owner, {"number": version.number, "bundle_sha256": version.bundle_sha256})
            for version in versions
        ),
    )
    last = {version.bot_id: version for version in versions}
    for bot in bots:
        bot.active_version = last[bot.pk]
    Bot.objects.bulk_update(bots, ["active_version"], batch_size=BATCH)
    yield from versions


def _version(bot: Bot, number: int, program: SeededProgram) -> BotVersion:
    return BotVersion(
        bot=bot,
        number=number,
        bundle_sha256=program.sha256,
        bundle_bytes=len(program.data),
        runtime=program.runtime,
        runtime_digest=RUNTIME_DIGEST,
        entry_point=program.entry_point,
        notes="" if number == 1 else f"Version {number}: no change but the number.",
        state=BotVersion.State.READY,
    )


def audits_add(verb: str, kind: str, done: Iterable[tuple[Any, Player, Mapping[str, Any]]]) -> None:
    AuditEvent.objects.bulk_create(
        (
            AuditEvent(
                actor_id=player.user_id, action=verb, kind=kind, object_id=row.public_id, after=dict(after)
            )
            for row, player, after in done
        ),
        batch_size=BATCH,
    )
