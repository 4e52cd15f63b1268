"""Seats that rest and seats that drop, through the real referee: uploads, fresh processes, reports, audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from arena.competition.models import Tournament
from arena.competition.services import entry_create
from arena.jobs.flow import tournament_advance
from arena.jobs.play import lease_play
from arena.jobs.uploads import version_submit
from arena.matches.models import TableSeat
from arena.roster.models import BotVersion
from arena.standings.audit import tournament_audit
from benchmarks.demo.client import folder_zip
from tests import factories
from tests.arena.play import claimed, started, waiting
from tests.scores import all_results

pytestmark = [pytest.mark.full, pytest.mark.django_db(transaction=True)]
HOUSE = Path(settings.REPOSITORY) / "bots" / "house"
KINDS = ("greedy", "random", "rules")


def uploaded(game: str, kind: str, number: int) -> BotVersion:
    """A house bot as somebody's upload, taken as checked."""
    name = f"{game}_{kind}"
    bot = factories.a_bot(factories.players(number)[-1], game=game)
    return factories.passed(
        version_submit(bot, folder_zip(HOUSE / name), f"{name}.zip", "", bot.owner.user).version
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("game", "entries", "plan"),
    [
        ("kakeya", 3, {"preset": "kakeya6", "boards_per_round": 3}),
        ("kakeya", 3, {"preset": "etori.simple6", "boards_per_round": 3}),
        ("kakkuri", 4, {"preset": "kakkuri", "boards_per_round": 2, "ruleset": {"seats": 4}}),
    ],
    ids=["kakeya6", "etori.simple6", "kakkuri"],
)
def test_a_round_is_played_in_the_sandbox_and_its_records_agree(
    game: str, entries: int, plan: dict[str, Any]
) -> None:
    event = factories.an_open_tournament(**plan, stages=[{"format": "heats", "options": {"rounds": 1}}])
    for number in range(entries):
        version = uploaded(game, KINDS[number % len(KINDS)], number + 1)
        entry_create(event, version, version.bot.owner.user)
    started(event)
    tables = waiting(event)
    assert len(tables) == entries
    for table in tables:
        assert lease_play(claimed(table))
        tournament_advance(event)
    event.refresh_from_db()
    assert (event.state, event.state_reason) == (Tournament.State.FINAL, "")
    assert tournament_audit(event) == []
    seats = TableSeat.objects.all()
    assert set(seats.values_list("verdict", "forfeited")) == {("OK", False)}
    assert all(seat.cpu_ms > 0 and seat.decisions > 0 for seat in seats)
    assert len(all_results()) == len(seats) * event.boards_per_round
