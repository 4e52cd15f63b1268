"""Planning an event for any number of sides: what fits by itself, and what is refused with its remedy."""

from __future__ import annotations

import math
from typing import Any

import pytest
from django.conf import settings

from arena.celery import app
from arena.common.errors import ArenaError, Conflict
from arena.competition.deals import board_chunks
from arena.competition.models import Tournament
from arena.competition.rules import decisions_bound, rules_of
from arena.competition.services import tournament_lock
from arena.jobs.flow import tournament_advance
from arena.jobs.publish import tables_publish
from arena.matches.models import Table
from arena.matches.orders import table_order
from engine import all_games
from league.rotation import TABLE_CPU_MS
from referee.contract import Clock, machine_delay_limit_s
from tests import factories
from tests.arena.play import begun
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
EVERY_PRESET = [preset for game in all_games().values() for preset in game.presets]


def refused(**fields: Any) -> ArenaError:
    error = refusal(ArenaError, factories.a_tournament, **fields)
    assert not Tournament.objects.exists()
    return error


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_every_preset_makes_an_event_by_name_alone(preset: str) -> None:
    tournament = factories.a_tournament(preset=preset)
    rules = rules_of(tournament)
    sides = len(rules.game.sides(rules.ruleset))
    assert tournament.stages.get().format == ("round_robin" if sides == 2 else "heats")
    assert tournament.min_entries == sides
    assert tournament.ruleset == rules.ruleset.as_dict()


@pytest.mark.parametrize(("seats", "format_"), [(2, "round_robin"), (3, "heats"), (8, "heats")])
def test_the_format_follows_the_seats_of_kakkuri(seats: int, format_: str) -> None:
    tournament = factories.a_tournament(preset="kakkuri", ruleset={"seats": seats})
    assert (tournament.stages.get().format, tournament.min_entries) == (format_, seats)


@pytest.mark.parametrize(
    ("fields", "code", "field", "words"),
    [
        ({"stages": [{"format": "round_robin"}]}, "invalid_stage", "stages", "3: take heats"),
        ({"stages": [{"format": "heats", "options": {"rounds": 0}}]}, "invalid_stage", "stages", "rounds"),
        ({"stages": [{"format": "heats", "options": {"cycles": 2}}]}, "invalid_stage", "stages", "cycles"),
        ({"min_entries": 2}, "invalid", "min_entries", "needs 3 entries"),
        ({"max_entries": 2}, "invalid", "max_entries", "3"),
        ({"max_entries": 1001}, "invalid", "max_entries", "1000"),
        (
            {"board_kind": "game"},
            "unbounded_game",
            "ruleset",
            "set hand_cap, or use kakeya6.league, or play deal",
        ),
        ({"ruleset": {"seats": 4}}, "invalid_option", "ruleset", "take kakeya4"),
        ({"ruleset": {"six_dealers": "winners"}}, "invalid_option", "ruleset", "losers, previous_rest"),
        ({"ruleset": {"meiji_trump": "random"}}, "invalid_option", "ruleset", "belongs to etori.meiji"),
        (
            {"ruleset": {"trump_fixed": "H", "trump_right6": "losers"}},
            "invalid_option",
            "ruleset",
            "contradict each other",
        ),
        (
            {"preset": "etori.simple", "ruleset": {"aces_timing": "remaining", "schedule": "nakayoshi"}},
            "invalid_option",
            "ruleset",
            "contradict each other",
        ),
        (
            {"preset": "etori.simple", "board_kind": "game"},
            "unbounded_game",
            "ruleset",
            "set hand_cap, or play deal boards",
        ),
        (
            {"preset": "etori.simple6", "board_kind": "game"},
            "unbounded_game",
            "ruleset",
            "set hand_cap, or play deal boards",
        ),
        (
            {"preset": "etori.simple6", "ruleset": {"seats": 4}},
            "invalid_option",
            "ruleset",
            "take etori.simple",
        ),
        (
            {"preset": "etori.simple6", "ruleset": {"dealer_rotation": "left"}},
            "invalid_option",
            "ruleset",
            "belongs to etori.simple",
        ),
        ({"preset": "etori.simple6", "max_entries": 2}, "invalid", "max_entries", "3"),
        ({"preset": "kakkuri", "ruleset": {"seats": 9}}, "invalid_option", "ruleset", "from 2 to 8"),
        ({"preset": "kakkuri", "ruleset": {"seats": "5"}}, "invalid_option", "ruleset", "whole number"),
        ({"preset": "kakkuri", "ruleset": {"seats": True}}, "invalid_option", "ruleset", "whole number"),
        ({"preset": "kakkuri", "ruleset": {"fuwaru": []}}, "invalid_option", "ruleset", "true or false"),
        ({"preset": "kakkuri", "ruleset": {"hand_cap": 5}}, "invalid_option", "ruleset", "hand_cap"),
        ({"preset": "kakkuri", "ruleset": {"wild_mode": {}}}, "invalid_option", "ruleset", "named, reset"),
        ({"preset": "kakkuri", "max_entries": 6}, "invalid", "max_entries", "7"),
        (
            {"preset": "kakkuri", "board_kind": "game", "ruleset": {"hands": 5000}},
            "board_too_long",
            "clock",
            "Lower increment_cpu_ms",
        ),
        (
            {"clock": {"bank_cpu_ms_per_deal_board": 60_000, "increment_cpu_ms": 5_000}, "preset": "kakkuri"},
            "board_too_long",
            "clock",
            "1800 s are allowed",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_its_remedy(
    fields: dict[str, Any], code: str, field: str, words: str
) -> None:
    error = refused(**{"preset": "kakeya6", **fields})
    assert (error.code, error.extra["field"]) == (code, field)
    assert words in error.message
    assert "\n" not in error.message


def test_a_table_that_would_not_fill_stays_in_registration_and_is_cancelled_at_its_end() -> None:
    tournament = factories.an_open_tournament(preset="kakeya6")
    for owner in factories.players(2):
        factories.an_entry(tournament, owner)
    refused = refusal(Conflict, tournament_lock, tournament, tournament.organiser)
    assert (refused.code, refused.extra["min_entries"]) == ("too_few_entries", 3)
    Tournament.objects.update(closes_at="2020-01-01T00:00Z")
    tournament_advance(tournament)
    assert tournament.state == "cancelled"
    assert tournament.state_note == {"code": "too_few_entries", "entries": 2, "min_entries": 3}


def test_two_versions_need_a_side_of_two() -> None:
    aya = factories.aya()
    alone = factories.an_open_tournament(preset="kakkuri")
    error = refusal(ArenaError, factories.a_pair_entry, alone, aya)
    assert (error.code, error.extra["field"]) == ("invalid_pair", "partner_version")
    paired = factories.an_open_tournament(preset="etori.meiji")
    version = factories.a_version(factories.a_bot(aya))
    error = refusal(ArenaError, factories.entry_create, paired, version, aya, partner_version=version)
    assert error.code == "invalid_pair"
    assert factories.a_pair_entry(paired, aya).bot_name.count(" + ") == 1


def test_a_bot_of_another_game_cannot_enter() -> None:
    tournament = factories.an_open_tournament(preset="kakkuri")
    version = factories.a_version(factories.a_bot(factories.aya(), game="kakeya"))
    error = refusal(ArenaError, factories.entry_create, tournament, version, factories.aya())
    assert error.code == "wrong_game"


@pytest.mark.parametrize(
    "plan",
    [
        {"preset": "kakeya6", "boards_per_round": 30},
        {"preset": "kakkuri", "boards_per_round": 30},
        {"preset": "kakkuri", "boards_per_round": 30, "ruleset": {"seats": 8}},
        {"preset": "etori.meiji", "boards_per_round": 90},
    ],
    ids=lambda plan: str(plan),
)
def test_tables_are_cut_so_that_no_unit_of_work_runs_too_long(plan: dict[str, Any]) -> None:
    tournament = factories.a_tournament(**plan)
    rules = rules_of(tournament)
    clock = Clock(**tournament.clock)
    chunks = board_chunks(tournament)
    assert len(chunks) > 1
    assert sum(count for _, count in chunks) == tournament.boards_per_round
    for _, count in chunks:
        seat_ms = (
            clock.bank_cpu_ms(["deal"] * count) + clock.increment_cpu_ms * decisions_bound(rules) * count
        )
        assert rules.game.seats(rules.ruleset) * seat_ms < TABLE_CPU_MS


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("board_kind", ["deal", "game"])
def test_a_worker_may_play_a_table_for_as_long_as_its_bots_may_take(
    board_kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(app, "send_task", lambda name, args, **options: sent.append(options))
    tournament = begun(5, preset="kakkuri", ruleset={"seats": 5}, board_kind=board_kind, boards_per_round=1)
    sent.clear()
    table = Table.objects.filter(fixture__board_set__round__stage__tournament=tournament)[0]
    order, clock = table_order(table), Clock()
    decisions = decisions_bound(rules_of(tournament))
    granted_s = (clock.bank_cpu_ms([board_kind]) + clock.increment_cpu_ms * decisions) / 1000
    wall_banks_s = 5 * (3 * granted_s + 10 + clock.start_wall_ms / 1000)
    assert order.wall_limit_s > wall_banks_s, "only our own fault reaches it"
    tables_publish([table.pk])
    (options,) = sent
    assert options["soft_time_limit"] >= max(
        math.ceil(order.wall_limit_s + machine_delay_limit_s(order.wall_limit_s)),
        settings.CELERY_TASK_SOFT_TIME_LIMIT,
    )
    assert options["time_limit"] > options["soft_time_limit"]
