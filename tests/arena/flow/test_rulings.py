"""Rulings on fixtures and tables played again, in every state of a tournament; each ends in a proven end."""

from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent
from arena.common.errors import ArenaError, Conflict, Forbidden
from arena.competition.models import Round, Tournament
from arena.competition.services import tournament_pause, tournament_resume
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Adjudication, Fixture, Table
from arena.matches.reruns import table_rerun
from arena.standings.audit import tournament_audit
from arena.standings.models import FixtureScore, StandingRow
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting
from tests.refusals import refusal
from tests.scores import board_scores

pytestmark = pytest.mark.full

State = Tournament.State
ROUND_ROBIN = {"boards_per_round": 1}
SWISS = {"boards_per_round": 1, "stages": [{"format": "swiss", "options": {"rounds": 2}}]}


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def the_open_fixture(tournament: Tournament) -> Fixture:
    found = Fixture.objects.filter(tournament=tournament, state=Fixture.State.OPEN).first()
    assert found is not None
    return found


def names_of(fixture: Fixture) -> list[str]:
    return [side.entry.public_id for side in fixture.sides.order_by("position")]


def totals(fixture: Fixture) -> dict[str, int]:
    return {row.entry.public_id: int(row.value) for row in FixtureScore.objects.filter(fixture=fixture)}


def played_to_final(tournament: Tournament) -> None:
    play_out(tournament)
    assert (tournament.state, tournament.state_reason) == (State.FINAL, "")
    assert tournament_audit(tournament) == []


def provisional(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """Played out, but the audit does not pass."""
    with monkeypatch.context() as broken:
        broken.setattr("arena.jobs.flow.tournament_audit", lambda _, **__: ["something disagrees"])
        play_out(tournament)
    assert tournament.state == State.PROVISIONAL
    return tournament


@pytest.mark.django_db
def test_a_forfeit_ends_an_open_fixture_and_costs_two_stones_a_board() -> None:
    tournament = begun(4, **ROUND_ROBIN)
    fixture = the_open_fixture(tournament)
    play_table(fixture.tables.first())
    loser, winner = names_of(fixture)
    made = fixture_adjudicate(fixture, tournament.organiser, "forfeit", [loser], "its author asked for it")
    fixture.refresh_from_db()
    assert (fixture.state, fixture.reason) == (Fixture.State.FORFEITED, "its author asked for it")
    assert (made.number, made.rounds_opened, made.entries) == (1, 1, [loser])
    assert set(fixture.tables.values_list("state", flat=True)) == {Table.State.FINISHED, Table.State.VOID}
    assert (
        not factories.logged_events()
        .filter(kind="fixture.done")
        .exclude(data={"number": fixture.number})
        .exists()
    )
    played_to_final(tournament)
    assert totals(fixture) == {loser: -2, winner: 2}
    audited = AuditEvent.objects.get(action="adjudicate")
    assert (audited.object_id, audited.after["reason"], audited.before) == (
        fixture.public_id,
        "its author asked for it",
        {"state": "open"},
    )


@pytest.mark.django_db
def test_in_a_closed_round_later_pairings_stay_and_later_rounds_go_by_the_ruling() -> None:
    tournament = begun(4, **SWISS)
    first = list(Fixture.objects.filter(tournament=tournament))
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    second = [names_of(fixture) for fixture in Fixture.objects.filter(board_set__round__number=2)]
    loser, winner = names_of(first[0])
    made = fixture_adjudicate(first[0], tournament.organiser, "forfeit", [loser], "found out later")
    assert made.rounds_opened == 2
    assert [names_of(fixture) for fixture in Fixture.objects.filter(board_set__round__number=2)] == second
    played_to_final(tournament)
    assert totals(first[0]) == {loser: -2, winner: 2}


@pytest.mark.django_db
def test_a_draw_counts_nought_void_for_nobody_and_lifting_brings_back_what_was_played() -> None:
    tournament = begun(2, **ROUND_ROBIN)
    tournament_pause(tournament, tournament.organiser)
    tournament_resume(tournament, tournament.organiser)
    fixture = the_open_fixture(tournament)
    for table in waiting(tournament):
        play_table(table)
    as_played = dict.fromkeys(names_of(fixture), 0)
    fixture_adjudicate(fixture, tournament.organiser, "draw", (), "the rules were unclear")
    fixture_adjudicate(fixture, tournament.organiser, "void", (), "or rather not")
    fixture.refresh_from_db()
    assert fixture.state == Fixture.State.VOID
    fixture_adjudicate(fixture, tournament.organiser, "lift", (), "they were clear after all")
    fixture.refresh_from_db()
    assert (fixture.state, fixture.reason) == (Fixture.State.SETTLED, "")
    played_to_final(tournament)
    assert list(fixture.adjudications.values_list("number", "kind")) == [
        (1, "draw"),
        (2, "void"),
        (3, "lift"),
    ]
    assert set(totals(fixture)) == set(as_played)
    assert len(board_scores(fixture=fixture)) == 2


@pytest.mark.django_db
def test_after_the_last_round_a_ruling_makes_scores_standings_and_audit_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tournament = provisional(begun(3, **ROUND_ROBIN), monkeypatch)
    fixture = Fixture.objects.filter(tournament=tournament, tables__isnull=False).first()
    assert fixture is not None
    loser, winner = names_of(fixture)
    fixture_adjudicate(fixture, tournament.organiser, "forfeit", [loser], "its record was wrong")
    tournament.refresh_from_db()
    assert tournament.state == State.RUNNING
    tournament_advance(tournament)
    assert (tournament.state, tournament_audit(tournament)) == (State.FINAL, [])
    assert totals(fixture) == {loser: -2, winner: 2}
    row = StandingRow.objects.get(entry__public_id=loser)
    assert row.rank > 1


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["running", "paused", "provisional"])
def test_a_table_is_played_again_from_the_start(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = begun(2, **ROUND_ROBIN)
    table = waiting(tournament)[0]
    if state == "provisional":
        provisional(tournament, monkeypatch)
    else:
        play_table(table, frozenset({1}))
    if state == "paused":
        tournament_pause(tournament, tournament.organiser)
    spent = Tournament.objects.get(pk=tournament.pk).cpu_ms_spent
    table.refresh_from_db()
    hash_before = table.record_sha256
    table_rerun(table, tournament.organiser, "the clock of the host jumped")
    table.refresh_from_db()
    assert (table.state, table.reruns, table.attempt, table.record_sha256) == ("waiting", 1, 0, "")
    assert table.results == []
    assert not table.seats.exclude(verdict="", cpu_ms=0, forfeited=False).exists()
    audited = AuditEvent.objects.get(action="rerun")
    assert (audited.before["record_sha256"], audited.after["reason"]) == (
        hash_before,
        "the clock of the host jumped",
    )
    tournament.refresh_from_db()
    assert tournament.state == ("paused" if state == "paused" else "running")
    if state == "provisional":
        tournament_advance(tournament)
        assert not table.fixture.board_set.is_sealed, "a closed set stays unsealed"
        assert tournament.state == State.RUNNING, "it waits for the table"
    if state == "paused":
        tournament_resume(tournament, tournament.organiser)
    played_to_final(tournament)
    assert tournament.cpu_ms_spent > spent


@pytest.mark.django_db
def test_what_later_rounds_rest_on_is_not_played_again() -> None:
    tournament = begun(4, **SWISS)
    table = waiting(tournament)[0]
    for waiting_table in waiting(tournament):
        play_table(waiting_table)
    tournament_advance(tournament)
    refused = refusal(Conflict, table_rerun, table, tournament.organiser, "why not")
    assert (refused.code, refused.extra["allowed"]) == ("later_rounds_drawn", ["adjudicate"])
    played_to_final(tournament)


@pytest.mark.django_db
def test_a_schedule_that_rests_on_nothing_waits_for_a_table_of_an_earlier_round() -> None:
    tournament = begun(4, **ROUND_ROBIN)
    table = waiting(tournament)[0]
    for waiting_table in waiting(tournament):
        play_table(waiting_table)
    tournament_advance(tournament)
    assert Round.objects.filter(stage__tournament=tournament).count() == 2
    table_rerun(table, tournament.organiser, "the host was ill")
    for other in waiting(tournament):
        if other.pk != table.pk:
            play_table(other)
            tournament_advance(tournament)
    assert Round.objects.filter(stage__tournament=tournament).count() == 2, "it waits for the table"
    played_to_final(tournament)


@pytest.mark.django_db
def test_a_stage_whose_table_made_the_next_one_stays_as_it_is() -> None:
    stages = [{"format": "round_robin"}, {"format": "single_elimination", "qualify": 2}]
    tournament = begun(3, boards_per_round=1, stages=stages)
    fixture = the_open_fixture(tournament)
    while not tournament.stages.get(number=2).field_digest:
        for table in waiting(tournament):
            play_table(table)
        tournament_advance(tournament)
    refused = refusal(Conflict, fixture_adjudicate, fixture, tournament.organiser, "void", (), "too late")
    assert refused.code == "field_drawn"
    refused = refusal(Conflict, table_rerun, fixture.tables.get(rotation=0), tournament.organiser, "too late")
    assert refused.code == "field_drawn"
    played_to_final(tournament)


@pytest.mark.django_db
def test_what_is_refused_says_why_and_changes_nothing(running: Tournament) -> None:
    fixture = the_open_fixture(running)
    name = names_of(fixture)[0]
    bye = next(
        candidate for candidate in Fixture.objects.filter(tournament=running) if candidate.sides.count() == 1
    )

    def code_and_field(fixture: Fixture, kind: str, entries: list[str], reason: str = "so") -> str:
        refused = refusal(ArenaError, fixture_adjudicate, fixture, running.organiser, kind, entries, reason)
        return f"{refused.code} {refused.extra.get('field', '')}".strip()

    assert code_and_field(fixture, "forfeit", [name], "  ") == "reason_required reason"
    assert code_and_field(fixture, "win", [name]) == "invalid kind"
    assert code_and_field(fixture, "forfeit", []) == "invalid entries"
    assert code_and_field(fixture, "forfeit", ["nobody"]) == "invalid entries"
    assert code_and_field(fixture, "draw", [name]) == "invalid entries"
    assert code_and_field(fixture, "lift", []) == "nothing_to_lift"
    assert code_and_field(bye, "void", []) == "fixture_is_bye"
    refusal(Forbidden, fixture_adjudicate, fixture, factories.chie(), "void", (), "because")
    table = fixture.tables.first()
    refused = refusal(Conflict, table_rerun, table, running.organiser, "so")
    assert refused.extra["allowed_states"] == [Table.State.FINISHED]
    refusal(Forbidden, table_rerun, table, factories.chie(), "so")
    assert not Adjudication.objects.exists()
    fixture_adjudicate(fixture, factories.sota(), "void", (), "staff may")
    assert code_and_field(fixture, "lift", []) == "tables_unfinished"
    tournament_cancel(running, running.organiser, "rain")
    assert code_and_field(fixture, "void", []) == "wrong_state"


@pytest.mark.django_db
def test_a_table_under_a_ruling_is_not_played_again() -> None:
    tournament = begun(2, **ROUND_ROBIN)
    table = waiting(tournament)[0]
    play_table(table)
    fixture_adjudicate(table.fixture, tournament.organiser, "draw", (), "so be it")
    assert refusal(Conflict, table_rerun, table, tournament.organiser, "again").code == "already_adjudicated"
