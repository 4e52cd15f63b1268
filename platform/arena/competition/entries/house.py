"""House bots of a tournament: chosen by its organiser, entered when entry opens."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import transaction

from arena.accounts.models import User
from arena.common.declarations import invalid_field
from arena.common.errors import Conflict, quoted
from arena.competition.entries.services import entry_create
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import tournament_mixes_partners
from arena.roster.models import Bot
from arena.roster.selectors import house_bots_ready

MAX_HOUSE_BOTS = 16


def house_bot_names(given: Any) -> list[str]:
    """Return the names without duplicates, in their order. Raises Invalid for anything else than names."""
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        raise invalid_field("house_bots", "house_bots is a list of names of house bots.")
    names = list(dict.fromkeys(given))
    if len(names) > MAX_HOUSE_BOTS:
        raise invalid_field("house_bots", f"{len(names)} house bots; at most {MAX_HOUSE_BOTS} can be added.")
    return names


def require_house_bots(game: str, names: list[str]) -> None:
    """Raise Invalid unless all names are house bots of the game with a ready version. A query with names."""
    if not names:
        return
    known = [bot.name for bot in house_bots_ready(game)]
    for name in names:
        if name not in known:
            choices = f"ready house bots: {', '.join(known)}" if known else "none is ready now"
            raise invalid_field(
                "house_bots", f"{quoted(name)} is not a house bot that can play {game}; {choices}."
            )


def house_bots_addable(tournament: Tournament) -> list[Bot]:
    """Return the ready house bots of the game that are not entered. Two queries."""
    entered = set(tournament.entries.filter(status__in=Entry.ACTIVE).values_list("version__bot", flat=True))
    return [bot for bot in house_bots_ready(tournament.game) if bot.pk not in entered]


@transaction.atomic
def house_bots_add(tournament: Tournament, names: Collection[str], actor: User) -> None:
    """Enter house bots while entry is open, all or none. Raises as ``entry_create``, or Invalid."""
    require_house_bots(tournament.game, list(names))
    mixes = tournament_mixes_partners(tournament)
    for bot in house_bots_ready(tournament.game):
        if bot.name in names and bot.active_version is not None:
            entry_create(tournament, bot.active_version, actor, accepts_partners=mixes)


def house_bots_enter(tournament: Tournament, actor: User | None) -> None:
    """Enter the chosen house bots with their active versions, when entry opens.

    The system (None) leaves out bots without a ready version. For an organiser, raises Conflict
    ``house_bot_not_ready``.
    """
    if not tournament.house_bots:
        return
    mixes = tournament_mixes_partners(tournament)
    ready = {bot.name: bot.active_version for bot in house_bots_ready(tournament.game)}
    missing = [name for name in tournament.house_bots if ready.get(name) is None]
    if missing and actor is not None:
        raise Conflict(
            f"These house bots have no ready version: {', '.join(missing)}. Take them out of house_bots.",
            "house_bot_not_ready",
            field="house_bots",
            bots=missing,
        )
    for name in tournament.house_bots:
        if (version := ready.get(name)) is not None:
            entry_create(tournament, version, actor or tournament.organiser, accepts_partners=mixes)
