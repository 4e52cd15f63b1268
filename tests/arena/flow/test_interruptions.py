"""What changes the course of a tournament: leaving, budgets, passes, early ends, windows, failed audits."""

from __future__ import annotations

import datetime

import pytest
from django.core.cache import cache
from django.utils import timezone

from arena.common.errors import Conflict, Forbidden, Invalid
from arena.competition.models import Round, Stage, Tournament
from arena.competition.selectors import stage_or_latest
from arena.competition.services import entry_withdraw, tournament_pause, tournament_resume, tournament_update
from arena.jobs import tasks
from arena.jobs.flow import (
    tournament_advance,
    tournament_cancel,
    tournament_close_early,
    tournament_finalise,
)
from arena.jobs.scoring import scores_recompute
from arena.matches.leases import table_fail
from arena.matches.models import Fixture, Table
from arena.standings.audit import tournament_audit
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.selectors import standings_key
from tests import factories
from tests.arena.play import begun, claimed, play_out, play_table, waiting
from tests.refusals import refusal

pytestmark = pytest.mark.full

State = Tournament.State


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def final(tournament: Tournament) -> None:
    assert (tournament.state, tournament.state_reason) == (State.FINAL, "")
    assert tournament_audit(tournament) == []


def play_round(tournament: Tournament) -> None:
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)


@pytest.mark.django_db
@pytest.mark.parametrize("format_", ["swiss", "round_robin", "single_elimination"])
def test_who_leaves_forfeits_what_is_open_and_is_drawn_no_more(format_: str) -> None:
    tournament = begun(4, boards_per_round=1, stages=[{"format": format_}])
    fixture = Fixture.objects.filter(tournament=tournament).first()
    assert fixture is not None
    gone = fixture.sides.first().entry
    play_table(fixture.tables.first())
    entry_withdraw(gone, gone.player.user, "its host is gone")
    tournament_advance(tournament)
    fixture.refresh_from_db()
    assert (fixture.state, fixture.note) == (Fixture.State.FORFEITED, {"code": "entry_left"})
    ruling = fixture.adjudications.get()
    assert (ruling.kind, ruling.entries, ruling.actor) == ("forfeit", [gone.public_id], None)
    final(play_out(tournament))
    later = Fixture.objects.filter(tournament=tournament, board_set__round__number__gt=1)
    assert not later.filter(sides__entry=gone).exists()
    assert FixtureScore.objects.get(fixture=fixture, entry=gone).value == -2
    assert StandingRow.objects.filter(entry=gone).exists(), "it keeps its line"


@pytest.mark.django_db
def test_both_may_leave_and_the_rest_play_on() -> None:
    tournament = begun(4, boards_per_round=1, stages=[{"format": "swiss", "options": {"rounds": 2}}])
    fixture = Fixture.objects.filter(tournament=tournament).first()
    assert fixture is not None
    for side in fixture.sides.all():
        entry_withdraw(side.entry, tournament.organiser, "found to be one program")
    tournament_advance(tournament)
    assert len(fixture.adjudications.get().entries) == 2
    final(play_out(tournament))


@pytest.mark.django_db
def test_who_leaves_during_a_pause_loses_what_is_open_then() -> None:
    tournament = begun(4, boards_per_round=1)
    tournament_pause(tournament, tournament.organiser)
    fixture = Fixture.objects.filter(tournament=tournament).first()
    assert fixture is not None
    entry_withdraw(fixture.sides.first().entry, tournament.organiser)
    tournament_advance(tournament)
    fixture.refresh_from_db()
    assert (fixture.state, tournament.state) == (Fixture.State.FORFEITED, State.PAUSED)
    tournament_resume(tournament, tournament.organiser)
    final(play_out(tournament))


@pytest.mark.django_db
def test_a_later_stage_goes_on_without_who_left_and_ends_if_too_few_are_left() -> None:
    stages = [{"format": "round_robin"}, {"format": "single_elimination", "qualify": 2}]
    tournament = begun(3, boards_per_round=1, stages=stages)
    first = tournament.stages.get(number=1)
    while Round.objects.filter(stage=first, state="closed").count() < 2:
        play_round(tournament)
    for entry in tournament.entries.order_by("pk")[:2]:
        entry_withdraw(entry, tournament.organiser)
    play_out(tournament)
    final(tournament)
    second = tournament.stages.get(number=2)
    assert (second.state, second.rounds.count()) == (Stage.State.DONE, 0)
    assert second.end_code == Stage.Ended.UNFIT


@pytest.mark.django_db
def test_a_spent_budget_opens_no_round_until_it_is_raised() -> None:
    tournament = begun(4, boards_per_round=1, budget_cpu_s=1)
    Tournament.objects.filter(pk=tournament.pk).update(cpu_ms_spent=999)
    play_round(tournament)
    assert tournament.state == State.PAUSED
    assert tournament.state_note == {"code": "cpu_spent", "spent": 1, "budget": 1}
    assert tournament.cpu_ms_spent == 999 + 4 * 4, "every seat of every table"
    assert factories.logged_events().filter(kind="budget.spent", tournament=tournament.public_id).count() == 1
    assert Round.objects.filter(stage__tournament=tournament).count() == 1
    assert refusal(Conflict, tournament_resume, tournament, tournament.organiser).code == "budget_spent"
    tournament_update(tournament, tournament.organiser, budget_cpu_s=60)
    tournament_resume(tournament, tournament.organiser)
    final(play_out(tournament))


@pytest.mark.django_db
def test_the_last_round_is_paid_for_and_the_event_ends_by_itself() -> None:
    tournament = begun(2, boards_per_round=1, budget_cpu_s=1)
    Tournament.objects.filter(pk=tournament.pk).update(cpu_ms_spent=5000)
    final(play_out(tournament))


@pytest.mark.django_db
def test_what_failed_attempts_used_is_spent_too(running: Tournament) -> None:
    lease = claimed(waiting(running)[0])
    assert table_fail(lease.table_id, lease.fence, "the sandbox broke", cpu_ms=70)
    assert not table_fail(lease.table_id, lease.fence, "told twice", cpu_ms=70)
    running.refresh_from_db()
    assert running.cpu_ms_spent == 70


@pytest.mark.django_db
def test_passes_are_played_until_the_most_and_the_stage_says_why_it_ended() -> None:
    tournament = begun(2, boards_per_round=1, board_plan="until_separated", max_passes=3)
    final(play_out(tournament))
    stage = tournament.stages.get()
    assert stage.rounds.count() == 3
    assert stage.end_code == Stage.Ended.PASSES


@pytest.mark.django_db
def test_closing_early_counts_the_rounds_that_are_closed() -> None:
    tournament = begun(4, boards_per_round=1)
    refused = refusal(Conflict, tournament_close_early, tournament, tournament.organiser, "the hall closes")
    assert (refused.code, refused.extra["open_fixtures"]) == ("fixtures_open", 2)
    refusal(Forbidden, tournament_close_early, tournament, factories.chie())
    for table in waiting(tournament):
        play_table(table)
    tournament_pause(tournament, tournament.organiser)
    tournament_close_early(tournament, tournament.organiser, "the hall closes")
    assert tournament.state == State.PROVISIONAL
    assert tournament.stages.get().end_note == {"code": "closed_early_because", "text": "the hall closes"}
    # A new score does not begin it again, whatever the note says.
    tournament.stages.update(end_note={})
    Fixture.objects.filter(tournament=tournament).update(scores_stale=True)
    assert scores_recompute(tournament)
    assert tournament.stages.get().state == Stage.State.DONE
    tournament_advance(tournament)
    assert (tournament.state, tournament_audit(tournament)) == (State.FINAL, [])
    assert Round.objects.get(stage__tournament=tournament).state == Round.State.CLOSED
    refused = refusal(Conflict, tournament_close_early, tournament, tournament.organiser)
    assert refused.extra["allowed_states"] == ["running", "paused"]


@pytest.mark.django_db
def test_nothing_played_cannot_be_closed_early(locked: Tournament) -> None:
    Tournament.objects.filter(pk=locked.pk).update(state=State.RUNNING)
    refused = refusal(Conflict, tournament_close_early, locked, locked.organiser)
    assert (refused.code, refused.extra["allowed"]) == ("nothing_played", ["cancel"])


@pytest.mark.django_db
def test_a_field_its_format_cannot_play_cancels_the_event_at_the_end_of_registration() -> None:
    soon = timezone.now() + datetime.timedelta(hours=1)
    stages = [{"format": "groups", "options": {"groups": 2}}]
    tournament = factories.an_open_tournament(stages=stages, closes_at=soon, min_entries=4)
    for owner in factories.players(4):
        factories.an_entry(tournament, owner)
    # As a format might come to do that refuses what it took when the draft was made.
    Stage.objects.update(options={"groups": 3})
    Tournament.objects.update(closes_at=timezone.now())
    tournament_advance(tournament)
    assert tournament.state == State.CANCELLED
    assert tournament.state_note["code"] == "not_locked"
    tournament_advance(tournament)
    assert factories.logged_events().filter(kind="tournament.cancelled").count() == 1


@pytest.mark.django_db
def test_what_its_organiser_forgot_does_not_wait_for_ever() -> None:
    tournament = factories.an_open_tournament()
    tournament_advance(tournament)
    assert tournament.state == State.OPEN
    Tournament.objects.update(state_at=timezone.now() - datetime.timedelta(days=91))
    tournament_advance(tournament)
    assert (tournament.state, tournament.state_note["code"]) == (State.CANCELLED, "left_open")


@pytest.mark.django_db
def test_one_that_starts_later_waits_for_its_time(locked: Tournament) -> None:
    later = timezone.now() + datetime.timedelta(days=1)
    long_ago = timezone.now() - datetime.timedelta(days=91)
    Tournament.objects.update(state_at=long_ago, starts_at=later)
    tournament_advance(locked)
    assert locked.state == State.LOCKED


@pytest.mark.django_db
def test_an_audit_that_failed_is_made_again_when_something_changes_or_people_ask(
    running: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    audits: list[int] = []

    def fails(*_: object, **__: object) -> list[str]:
        audits.append(1)
        return ["a record is missing"]

    with monkeypatch.context() as broken:
        broken.setattr("arena.jobs.flow.tournament_audit", fails)
        play_out(running)
        made = len(audits)
        assert (running.state, made) == (State.PROVISIONAL, 1)
        tournament_advance(running)
        assert len(audits) == made, "nothing has changed"
        refusal(Conflict, tournament_finalise, running, running.organiser)
        assert len(audits) > made
    tournament_finalise(running, running.organiser)
    running.refresh_from_db()
    assert (running.state, running.state_reason) == (State.FINAL, "")


@pytest.mark.django_db
def test_seven_days_of_failed_audits_cancel_it(running: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.jobs.flow.tournament_audit", lambda _, **__: ["a record is missing"])
    play_out(running)
    Tournament.objects.update(state_at=timezone.now() - datetime.timedelta(days=8))
    cache.clear()
    tournament_advance(running)
    assert running.state == State.CANCELLED
    assert running.state_note["why"] == "a record is missing"


@pytest.mark.django_db
def test_watchers_are_told_every_step_and_nothing_sealed(running: Tournament) -> None:
    play_out(running)
    events = factories.logged_events().filter(tournament=running.public_id).order_by("pk")
    kinds = [kind for kind in events.values_list("kind", flat=True) if not kind.startswith("entry.")]
    one_round = ["round.opened", "fixture.done", "round.closed", "standings.updated"]
    assert kinds == [
        "tournament.opened",
        "tournament.locked",
        "tournament.started",
        *(3 * one_round),
        "standings.updated",
        "tournament.provisional",
        "tournament.final",
    ]
    known = {"stage", "number", "state", "reason", "name", "statement"}
    assert all(set(event.data) <= known for event in events.exclude(kind__startswith="entry."))


@pytest.mark.django_db
def test_watchers_are_told_of_a_quarantined_table(running: Tournament) -> None:
    table = waiting(running)[0]
    for _ in range(3):
        table_fail(table.pk, claimed(table).fence, "the sandbox did not start")
    event = factories.logged_events().get(kind="table.quarantined")
    assert (event.object_id, event.data["reason"]) == (table.public_id, "the sandbox did not start")


@pytest.mark.django_db
def test_a_cancelled_event_leaves_nothing_open_however_large() -> None:
    tournament = begun(6, boards_per_round=1)
    tournament_cancel(tournament, tournament.organiser, "rain")
    assert set(Fixture.objects.values_list("state", flat=True)) == {Fixture.State.VOID}
    assert set(Table.objects.values_list("state", flat=True)) == {Table.State.VOID}
    assert {fixture.reason for fixture in Fixture.objects.all()} == {"rain"}


@pytest.mark.django_db
def test_whoever_cancels_what_others_have_entered_says_why(running: Tournament) -> None:
    organiser = running.organiser
    opened, empty, draft = (
        factories.an_open_tournament(),
        factories.an_open_tournament(),
        factories.a_tournament(),
    )
    factories.an_entry(opened, factories.aya())
    factories.an_entry(empty, organiser)
    for event in (running, opened):
        for reason in ("", " \n"):
            refused = refusal(Invalid, tournament_cancel, event, organiser, reason)
            assert (refused.code, refused.extra["field"]) == ("reason_required", "reason")
            before = event.state
            event.refresh_from_db()
            assert event.state == before != State.CANCELLED
    for event in (empty, draft):
        tournament_cancel(event, organiser)
        assert event.state == State.CANCELLED
    tournament_cancel(running, organiser, " rain ")
    assert running.state_reason == "rain"
    assert refusal(Conflict, tournament_cancel, running, organiser).code == "wrong_state"


@pytest.mark.django_db
def test_the_stages_of_a_cancelled_event_end_with_it() -> None:
    stages = [{"format": "groups"}, {"format": "single_elimination", "qualify": 2}]
    tournament = begun(4, boards_per_round=1, stages=stages)
    locked = factories.an_open_tournament(stages=stages)
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    organiser = tournament.organiser
    tournament_cancel(tournament, organiser, "rain")
    tournament_cancel(locked, locked.organiser)
    ended = tournament.stages.order_by("number").values_list("state", "closed_early", "end_note")
    assert list(ended) == [(Stage.State.DONE, True, {"code": "cancelled"})] * 2
    assert set(locked.stages.values_list("state", "closed_early")) == {(Stage.State.PLANNED, False)}
    assert stage_or_latest(tournament, None).number == 1, "nobody ever played the second"
    last = standings_key(tournament.pk).of_current_stage().stages()
    assert [(stage.number, len(stage.rows)) for stage in last] == [(1, 4)]
    assert tournament_audit(tournament) == []


@pytest.mark.django_db
def test_what_a_cancelled_event_had_settled_is_scored_and_verifies() -> None:
    tournament = begun(4, boards_per_round=2)
    fixture = Fixture.objects.filter(tournament=tournament).order_by("number").first()
    assert fixture is not None
    for table in fixture.tables.all():
        play_table(table)
    tournament_advance(tournament)
    tournament_cancel(tournament, tournament.organiser, "rain")
    assert {board for total in fixture.totals.all() for board in total.boards} == {1, 2}
    assert [row.values["played"] for row in StandingRow.objects.filter(stage__tournament=tournament)].count(
        1
    ) == 2
    assert tournament_audit(tournament) == []


@pytest.mark.django_db
def test_the_audit_of_a_large_event_is_a_task_of_its_own(
    running: Tournament, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:
    sent: list[tuple[str, tuple[int, ...]]] = []
    monkeypatch.setattr("arena.jobs.flow.AUDIT_TABLES", 5)
    monkeypatch.setattr(
        "arena.jobs.publish.app.send_task", lambda name, args=(), *_, **how: sent.append((name, args))
    )
    with django_capture_on_commit_callbacks(execute=True):
        play_out(running)
        tournament_advance(running)
    audits = [args for name, args in sent if name == tasks.tournament_finalise.name]
    assert (running.state, audits) == (State.PROVISIONAL, [(running.pk,)]), "asked for once"
    assert refusal(Conflict, tournament_finalise, running, running.organiser).code == "audit_in_progress"
    tasks.tournament_finalise(running.pk)
    running.refresh_from_db()
    final(running)
