"""House bots and daily cups of a new installation."""

from __future__ import annotations

import dataclasses
import datetime
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.house import SEARCHING_KINDS, house_username
from arena.accounts.models import User
from arena.accounts.services import user_create
from arena.competition.games import game_keys, preset_described, presets_by_family, seat_counts
from arena.competition.models import Series
from arena.competition.series.services import series_create
from arena.competition.series.subscriptions import subscription_add
from arena.jobs.uploads import version_store
from arena.roster.models import Bot, BotVersion
from arena.roster.services import bot_create
from referee.bundle import import_folder
from viewer.games import families

ORGANISER = "organiser"
"""Account that runs the cups. It has no password, so that no one can sign in."""
NOTES = "House bot"
FIRST_CUP = datetime.timedelta(minutes=15)
"""Minimum time from the start of an installation to its first cups, whose hour stays the same."""
STEP = datetime.timedelta(minutes=5)
OPEN_HOURS = 24
"""Hours before the start at which entry opens, when the previous edition starts."""
PENDING = (BotVersion.State.UPLOADED, BotVersion.State.CHECKING)


@dataclasses.dataclass(frozen=True)
class Cup:
    name: str
    preset: str
    boards: int
    """Deal boards per fixture."""
    ruleset: Mapping[str, Any]


TWO_SIDES = 2
FEWEST_BOTS = 3
"""Seats for presets without a fixed number, so that house bots alone fill a table."""
BOARDS_OF_TWO = 16
BOARDS_OF_MANY = 4
"""Deal boards per fixture, by the number of sides at a table."""


def house_folders() -> Iterator[tuple[str, str, Path]]:
    """Yield game, kind and folder of every house bot."""
    spec = importlib.util.find_spec("bots")
    for root in spec.submodule_search_locations or () if spec else ():
        for game in game_keys():
            for manifest in sorted(Path(root).glob(f"house/{game}_*/rensho.toml")):
                yield game, manifest.parent.name.removeprefix(f"{game}_"), manifest.parent


def house_bots() -> QuerySet[Bot]:
    folders = list(house_folders())
    accounts = {house_username(kind) for _, kind, _ in folders}
    return Bot.objects.filter(
        owner__user__username__in=accounts, name__in={path.name for _, _, path in folders}
    )


def house_bots_submit() -> list[Bot]:
    """Upload missing house bots, for example after an upgrade, and return them.

    Uploads none if the installation has bots but no house bots. A version that passes its check becomes
    active.
    """
    if Bot.objects.exists() and not house_bots().exists():
        return []
    return house_bots_upload()


@transaction.atomic
def house_bots_upload() -> list[Bot]:
    """Upload missing house bots in any case, and return them. A retired house bot is not uploaded again."""
    present = set(house_bots().values_list("game", "name"))
    bots = []
    for game, kind, folder in house_folders():
        if (game, folder.name) in present:
            continue
        user = _account(house_username(kind))
        bot = bot_create(user, name=folder.name, game=game)
        version_store(bot, import_folder(folder), NOTES, user)
        bots.append(bot)
    return bots


def cups_open() -> list[Series] | None:
    """Open the daily cups that never existed, and enter the house bots in each of their editions.

    House bots that search do not enter. Returns the cups opened, or None while a house bot waits for its
    check.
    """
    searching = [house_username(kind) for kind in SEARCHING_KINDS]
    rows = house_bots().exclude(owner__user__username__in=searching)
    bots = list(rows.select_related("active_version", "owner__user").order_by("pk"))
    if any(bot.active_version is None and bot.versions.filter(state__in=PENDING).exists() for bot in bots):
        return None
    starts_at = timezone.now() + FIRST_CUP
    starts_at += (datetime.datetime.min.replace(tzinfo=datetime.UTC) - starts_at) % STEP
    opened = []
    for game in dict.fromkeys(bot.game for bot in bots):
        players = [bot for bot in bots if bot.game == game and bot.active_version is not None]
        for cup in _cups(game) if players else ():
            if not Series.objects.filter(organiser__username=ORGANISER, name=cup.name).exists():
                opened.append(_open(cup, starts_at.time(), players))
    return opened


def cups_of_house() -> QuerySet[Series]:
    return Series.objects.filter(organiser__username=ORGANISER).order_by("pk")


def _cups(game: str) -> Iterator[Cup]:
    """Yield a cup for each family of presets: its first league preset, or else its last preset."""
    for family, presets in presets_by_family(game).items():
        preset = next((name for name in presets if name.endswith(".league")), presets[-1])
        is_open = FEWEST_BOTS in seat_counts(preset)[1:]
        is_of_two = not is_open and preset_described(game, preset)["tables_per_fixture"] == TWO_SIDES
        yield Cup(
            f"Daily {families()[family].name}",
            preset,
            BOARDS_OF_TWO if is_of_two else BOARDS_OF_MANY,
            {"seats": FEWEST_BOTS} if is_open else {},
        )


@transaction.atomic
def _open(cup: Cup, starts_at: datetime.time, players: list[Bot]) -> Series:
    series = series_create(
        _account(ORGANISER, is_organiser=True),
        name=cup.name,
        template={
            "preset": cup.preset,
            "board_kind": "deal",
            "boards_per_round": cup.boards,
            "ruleset": dict(cup.ruleset),
            "description": "A daily cup of this site. The house bots always play; enter yours.",
        },
        frequency=Series.Frequency.DAILY,
        start_time=starts_at,
        open_hours=OPEN_HOURS,
    )
    for bot in players:
        subscription_add(series, bot, bot.owner.user)
    return series


def _account(name: str, *, is_organiser: bool = False) -> User:
    return User.objects.filter(username=name).first() or user_create(name, is_organiser=is_organiser)
