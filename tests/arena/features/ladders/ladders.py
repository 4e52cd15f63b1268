"""Ladders with versions on them, and rounds played by plain tables."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import User
from arena.features.ladders import advancing
from arena.features.ladders.installing import ladders_install
from arena.features.ladders.models import Ladder, LadderRound, Placement
from arena.features.ladders.placements import placement_create
from arena.features.ratings.services import ratings_make
from arena.jobs.flow import dues_apply
from arena.matches.models import Table
from arena.roster.models import Bot, BotVersion
from arena.settings.ladders import LadderSettings
from tests import factories
from tests.arena.play import play_out, play_table, seats_of, waiting

PRESET = "kakeya4"
USUAL = LadderSettings(presets=frozenset({PRESET}), boards=2, pause_s=0)
"""One ladder, rounds of two boards, one after the other."""


def ladders_set(**changes: Any) -> None:
    """The usual settings with changes; the test has the fixture ``settings``, which gives them back."""
    settings.LADDERS = USUAL._replace(**changes)


def a_ladder(preset: str = PRESET, seats: int | None = None) -> Ladder:
    """The installed ladder of a preset."""
    found = [row for row in ladders_install() if row.preset == preset and seats in (None, row.seats)]
    return found[0]


def ladders_advance() -> int:
    """How many rounds were drawn or cancelled."""
    return dues_apply(advancing.ladders_advance())


def house() -> list[Bot]:
    """The house's yardsticks and its random bot, each with a version that passed its check."""
    names = (HOUSE_USERNAME, f"{HOUSE_USERNAME}-rules", f"{HOUSE_USERNAME}-random")
    bots = [factories.a_bot(factories._user(name), name=f"kakeya_{name}") for name in names]
    for bot in bots:
        factories.a_version(bot)
    return bots


def placed(ladder: Ladder, *owners: User) -> list[Placement]:
    """A new bot of each owner on the ladder."""
    return [
        placement_create(owner, ladder, factories.a_version(factories.a_bot(owner, game=ladder.game)))
        for owner in owners
    ]


def round_open(ladder: Ladder) -> LadderRound:
    """The round that is being played."""
    return ladder.rounds.get(state=LadderRound.State.OPEN)


def round_play(ladder: Ladder, forfeiting: BotVersion | None = None) -> LadderRound:
    """Draw the next round if none is open, play it out and rate it."""
    ladders_advance()
    played = round_open(ladder)
    if forfeiting is not None:
        for table in waiting(played.tournament):
            play_table(table, forfeiting=_seats(table, forfeiting))
    play_out(played.tournament)
    ratings_make()
    played.refresh_from_db()
    return played


def _seats(table: Table, version: BotVersion) -> frozenset[int]:
    entry = table.tournament.entries.filter(version=version).first()
    return seats_of(table, entry) if entry is not None else frozenset()
