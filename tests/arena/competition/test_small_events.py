"""Rounds of ladders and batches of experiments: made by the system, of fixtures that it was given."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from arena.accounts.models import Notice
from arena.accounts.services import user_create
from arena.common.errors import ArenaError, Conflict, Forbidden, Invalid
from arena.competition.account_overview import active_entries, active_organised_tournaments, organised_events
from arena.competition.drafts import tournament_create
from arena.competition.keys import key_current
from arena.competition.models import Commitment, Tournament
from arena.competition.selectors import (
    background_ids,
    may_organise,
    tournaments_listed,
    tournaments_visible_to,
)
from arena.competition.services import tournament_pause
from arena.competition.small_events import background_event_start, ladder_account
from arena.jobs.flow import tournament_cancel
from arena.roster.models import BotVersion
from arena.standings.export import tournament_export
from arena.standings.models import FixtureScore
from bots.kit.local.verify import export_verify
from tests.arena.play import play_out
from tests.factories import a_bot, a_suspended_version, a_version, aya, ben, chie, odo, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
LADDER, EXPERIMENT = Tournament.Kind.LADDER, Tournament.Kind.EXPERIMENT
FIXTURES = [[1, 2], [3, 1]]


def versions() -> list[list[BotVersion]]:
    return [[a_version(a_bot(owner))] for owner in (aya(), ben(), chie())]


def a_background_event(kind: str, entries: Any = None, **fields: Any) -> Tournament:
    organiser = ladder_account() if kind == LADDER else aya()
    given = {"name": "round 7", "preset": "kakeya4", "boards": 2, "fixtures": FIXTURES, **fields}
    return background_event_start(kind, organiser, entries or versions(), **given)


@pytest.mark.parametrize("kind", [LADDER, EXPERIMENT])
def test_exactly_the_given_fixtures_are_played_on_the_same_boards_and_verify(kind: str) -> None:
    event = play_out(a_background_event(kind))
    assert (event.state, event.kind, event.quarantine_hours) == ("final", kind, 0)
    seeds = dict(event.entries.values_list("public_id", "seed"))
    (board_set,) = {fixture.board_set for fixture in event.fixtures.all()}
    assert not board_set.is_sealed
    met = [
        [seeds[side.entry.public_id] for side in fixture.sides.order_by("position")]
        for fixture in event.fixtures.order_by("number")
    ]
    assert met == FIXTURES
    assert FixtureScore.objects.filter(fixture__tournament=event).count() == 4
    assert [row.rank for row in event.stages.get().standings.order_by("rank")] == [1, 2, 3]
    assert Commitment.objects.get(tournament=event).revealed_at is not None
    packed = io.BytesIO(tournament_export(event, sota()))
    keys = {key_current().name: bytes(key_current().public)}
    assert export_verify(Path("x.zip"), packed, keys=keys).disagreements == []
    assert not Notice.objects.filter(user__in=[aya(), ben(), chie(), event.organiser]).exists()


def test_a_free_for_all_and_a_pair_are_given_alike() -> None:
    three = [[a_version(a_bot(aya(), game="kakkuri"))] for _ in range(4)]
    event = a_background_event(
        LADDER, three, preset="kakkuri", ruleset={"seats": 3}, fixtures=[[1, 2, 3], [4, 2, 1]]
    )
    assert play_out(event).fixtures.count() == 2
    first, second, third = versions()
    mixed = a_background_event(LADDER, [first + second, third], fixtures=[[1, 2]])
    assert [len(entry.versions()) for entry in mixed.entries.order_by("seed")] == [2, 1]
    assert play_out(mixed).state == "final"


def test_who_sees_and_runs_them() -> None:
    ladder, experiment = a_background_event(LADDER), a_background_event(EXPERIMENT)
    assert [user for user in (None, aya(), ben(), sota()) if ladder in tournaments_visible_to(user)] == [
        None,
        aya(),
        ben(),
        sota(),
    ]
    seen = [user for user in (None, aya(), ben(), sota()) if experiment in tournaments_visible_to(user)]
    assert seen == [aya(), sota()], "an owner of a bot that was drawn into it does not see it"
    for event in (ladder, experiment):
        assert event not in tournaments_listed(aya())
        assert event in tournaments_listed(aya(), [event.kind])
        assert event not in [entry.tournament for entry in active_entries(ben(), 9)]
        for user in (aya(), event.organiser):
            assert event not in [*organised_events(user), *active_organised_tournaments(user, 9)]
            assert not may_organise(user, event)
            refusal(Forbidden, tournament_pause, event, user)
        assert may_organise(sota(), event)
    assert background_ids([ladder.public_id, experiment.public_id, "k3x9"]) == {
        ladder.public_id,
        experiment.public_id,
    }


def test_the_account_of_ladders_is_made_once_and_nobody_signs_in_to_it() -> None:
    account = ladder_account()
    assert (account, account.has_usable_password()) == (ladder_account(), False)
    assert not account.is_organiser
    refusal(ArenaError, user_create, account.username)


def test_a_version_that_may_not_play_leaves_nothing_behind() -> None:
    suspended = [a_suspended_version(a_bot(ben()))]
    refusal(Conflict, a_background_event, LADDER, [*versions()[:2], suspended])
    refused = refusal(Invalid, a_background_event, LADDER, fixtures=[[1, 2]])
    assert refused.code == "invalid_stage"
    assert "seed 3" in refused.message
    assert not Tournament.objects.exists()
    assert not Commitment.objects.filter(tournament__isnull=False).exists()
    assert "challenge" in str(refusal(ValueError, a_background_event, "challenge"))


def test_one_that_is_cancelled_tells_nobody_but_the_queue() -> None:
    event = a_background_event(LADDER)
    tournament_cancel(event, None, "the season ended")
    assert not Notice.objects.exists()
    assert Commitment.objects.get(tournament=event).reason == "cancelled by the system: the season ended"


def test_no_organiser_may_ask_for_given_fixtures() -> None:
    stages = [{"format": "given", "options": {"fixtures": [[1, 2]]}}]
    refused = refusal(Invalid, tournament_create, odo(), name="Cup", preset="kakeya4", stages=stages)
    assert refused.code == "invalid_stage"
    assert "round_robin" in refused.message
