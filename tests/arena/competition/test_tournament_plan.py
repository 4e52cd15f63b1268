"""What an organiser may ask for, and what is refused with which code."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.errors import ArenaError, Conflict, Forbidden, Invalid
from arena.competition.models import Tournament
from arena.competition.services import (
    entry_create,
    entry_withdraw,
    tournament_create,
    tournament_lock,
    tournament_open,
    tournament_start,
    tournament_update,
)
from tests import factories
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"preset": "bridge"}, "unknown_preset", "preset"),
        ({"ruleset": {"jokers": 2}}, "invalid_option", "ruleset"),
        ({"ruleset": {"schedule": "generous"}}, "invalid_option", "ruleset"),
        ({"board_kind": "match"}, "invalid", "board_kind"),
        ({"board_kind": "game"}, "unbounded_game", "ruleset"),
        ({"boards_per_round": 0}, "invalid", "boards_per_round"),
        ({"boards_per_round": 1001}, "invalid", "boards_per_round"),
        ({"clock": {"bank": 5}}, "invalid", "clock"),
        ({"clock": {"increment_cpu_ms": -1}}, "invalid", "clock"),
        ({"clock": {"increment_cpu_ms": True}}, "invalid", "clock"),
        ({"stages": [{"format": "ladder9"}]}, "invalid_stage", "stages"),
        ({"stages": [{"format": "round_robin", "options": {"cycles": 7}}]}, "invalid_stage", "stages"),
        ({"max_entries": 201}, "invalid_stage", "stages"),
        ({"tie_breaks": ["age"]}, "invalid", "tie_breaks"),
        ({"tie_breaks": ["wins", "wins"]}, "invalid", "tie_breaks"),
        ({"tie_breaks": ["head_to_head"] * 3}, "invalid", "tie_breaks"),
        ({"scoring": "elo"}, "invalid", "scoring"),
        ({"fault_policy": "lenient"}, "invalid", "fault_policy"),
        ({"min_entries": 1}, "invalid", "min_entries"),
        ({"min_entries": 5, "max_entries": 4}, "invalid", "max_entries"),
        ({"entries_per_player": 0}, "invalid", "entries_per_player"),
        ({"name": "  "}, "invalid", "name"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], code: str, field: str) -> None:
    refused = refusal(ArenaError, factories.a_tournament, **fields)
    assert (refused.code, refused.extra["field"]) == (code, field)
    assert not Tournament.objects.exists()


def test_a_league_preset_may_play_whole_games() -> None:
    tournament = factories.a_tournament(preset="kakeya4.league", board_kind="game")
    assert tournament.ruleset["hand_cap"] == 60


def test_only_organisers_create_tournaments() -> None:
    refusal(Forbidden, tournament_create, factories.aya(), name="Mine", preset="kakeya4")


def test_somebody_elses_tournament_is_not_yours_to_run() -> None:
    tournament = factories.a_tournament()
    for verb in (tournament_open, tournament_lock, tournament_start):
        refusal(Forbidden, verb, tournament, factories.chie())


def test_a_verb_in_the_wrong_state_says_which_state_allows_it() -> None:
    tournament = factories.a_tournament()
    refused = refusal(Conflict, tournament_lock, tournament, tournament.organiser)
    assert refused.code == "wrong_state"
    assert refused.extra == {"state": "draft", "allowed_states": ["open"]}


def test_rules_of_an_open_tournament_cannot_change() -> None:
    tournament = factories.an_open_tournament()
    refused = refusal(Conflict, tournament_update, tournament, tournament.organiser, preset="kakkuri")
    assert refused.code == "wrong_state"
    assert refused.extra["state"] == "open"
    assert "closes_at" in refused.extra["allowed_fields"]


def test_a_field_too_small_for_its_stages_is_refused_with_what_they_need() -> None:
    stages = [{"format": "swiss", "options": {"rounds": 50}}]
    plan = {"name": "Cup", "preset": "kakeya4", "stages": stages, "max_entries": 8}
    refused = refusal(Invalid, tournament_create, factories.odo(), **plan)
    assert (refused.extra["field"], "51" in refused.message) == ("max_entries", True)


def test_too_few_entries_leave_registration_open() -> None:
    tournament = factories.an_open_tournament()
    factories.an_entry(tournament, factories.aya())
    assert refusal(Conflict, tournament_lock, tournament, tournament.organiser).code == "too_few_entries"
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.OPEN


def test_only_the_owner_enters_a_version() -> None:
    tournament = factories.an_open_tournament()
    version = factories.a_version(factories.a_bot(factories.aya()))
    refusal(Forbidden, entry_create, tournament, version, factories.ben())


def test_an_unchecked_version_cannot_enter() -> None:
    tournament = factories.an_open_tournament()
    version = factories.an_upload(factories.a_bot(factories.aya()))
    assert refusal(Conflict, entry_create, tournament, version, factories.aya()).code == "not_ready"


def test_a_player_has_as_many_entries_as_the_tournament_allows() -> None:
    tournament = factories.an_open_tournament()
    entry = factories.an_entry(tournament, factories.aya())
    assert refusal(Conflict, factories.an_entry, tournament, factories.aya()).code == "too_many_entries"
    entry_withdraw(entry, factories.aya())
    factories.an_entry(tournament, factories.aya())


def test_the_same_version_cannot_enter_twice() -> None:
    tournament = factories.an_open_tournament(entries_per_player=2)
    entry = factories.an_entry(tournament, factories.aya())
    refused = refusal(Conflict, entry_create, tournament, entry.version, factories.aya())
    assert refused.code == "already_entered"


def test_a_full_tournament_takes_nobody() -> None:
    tournament = factories.an_open_tournament(max_entries=2)
    factories.an_entry(tournament, factories.aya())
    factories.an_entry(tournament, factories.ben())
    assert refusal(Conflict, factories.an_entry, tournament, factories.chie()).code == "tournament_full"


def test_nobody_enters_a_locked_field(locked: Tournament) -> None:
    assert refusal(Conflict, factories.an_entry, locked, factories.odo()).extra["state"] == "locked"


def test_the_commitment_is_published_with_registration_and_the_digest_at_lock(locked: Tournament) -> None:
    assert len(locked.commitment) == 64
    assert len(locked.stages.get().field_digest) == 64
    assert locked.revealed_at is None


def test_an_organisers_own_entry_is_marked() -> None:
    tournament = factories.an_open_tournament()
    assert factories.an_entry(tournament, tournament.organiser).is_organiser_entry
    assert not factories.an_entry(tournament, factories.aya()).is_organiser_entry


def test_entering_costs_the_same_however_many_have_entered() -> None:
    counts = []
    for number in (1, 8):
        tournament = factories.an_open_tournament()
        for owner in factories.players(number):
            factories.an_entry(tournament, owner)
        version = factories.a_version(factories.a_bot(factories.rin()))
        with CaptureQueriesContext(connection) as queries:
            entry_create(tournament, version, factories.rin())
        counts.append(len(queries))
    assert counts[0] == counts[1]
