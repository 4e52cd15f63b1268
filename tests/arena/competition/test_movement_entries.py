"""Where partners change every round: single bots, whose owners agree, each holding one seat."""

from __future__ import annotations

import pytest

from arena.common.errors import ArenaError
from arena.competition.deals import seatings, sides_by_entry
from arena.competition.models import Tournament
from arena.competition.services import entry_create
from tests.factories import (
    a_bot,
    a_locked_tournament,
    a_tournament,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
STAGES = [{"format": "movement"}]


def refused(tournament: Tournament, **fields: object) -> ArenaError:
    with pytest.raises(ArenaError) as error:
        entry_create(tournament, a_version(a_bot(aya())), aya(), **fields)  # type: ignore[arg-type]
    return error.value


def test_an_owner_must_agree_to_partner_everybody() -> None:
    tournament = an_open_tournament(stages=STAGES)
    error = refused(tournament)
    assert (error.code, error.extra["field"]) == ("partners_not_accepted", "accepts_partners")
    assert an_entry(tournament, aya(), accepts_partners=True).accepts_partners


def test_a_pair_cannot_enter() -> None:
    tournament = an_open_tournament(stages=STAGES)
    partner = a_version(a_bot(aya()))
    error = refused(tournament, partner_version=partner, accepts_partners=True)
    assert (error.code, error.extra["field"]) == ("invalid_pair", "partner_version")


def test_consent_is_asked_for_if_any_stage_changes_partners() -> None:
    tournament = an_open_tournament(stages=[*STAGES, {"format": "round_robin", "qualify": 2}])
    assert refused(tournament).code == "partners_not_accepted"


def test_a_movement_needs_a_full_table_of_players() -> None:
    assert a_tournament(stages=STAGES).min_entries >= 4
    assert refusal(ArenaError, a_tournament, stages=STAGES, min_entries=2).extra["field"] == "stages"


def test_four_single_players_fill_a_table_partners_side_by_side_at_each() -> None:
    tournament = a_locked_tournament(4, stages=STAGES)
    stage = tournament.stages.get()
    entries = [tournament.entries.get(player__user=user()) for user in (aya, ben, chie)]
    entries.append(tournament.entries.exclude(pk__in=[entry.pk for entry in entries]).get())
    assert sides_by_entry(stage, 4) == [0, 0, 1, 1]
    names = [entry.public_id for entry in entries]
    for table in seatings(stage, entries):
        by_seat = {place.seat: place.entry for place in table}
        assert sorted(by_seat.values()) == sorted(names)
        pairs = {frozenset((by_seat[1], by_seat[3])), frozenset((by_seat[2], by_seat[4]))}
        assert pairs == {frozenset(names[:2]), frozenset(names[2:])}


def test_a_pair_sits_as_one_entry_elsewhere() -> None:
    tournament = a_locked_tournament(2)
    stage = tournament.stages.get()
    assert sides_by_entry(stage, 2) == [0, 1]
    tables = seatings(stage, list(tournament.entries.order_by("id")))
    assert [len({place.entry for place in table}) for table in tables] == [2, 2]
