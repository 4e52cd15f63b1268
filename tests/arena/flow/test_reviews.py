"""The review of an event: how long it stays provisional, what extends it, what ends it, and its audits."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.competition.drafts import tournament_update, validate_draft
from arena.competition.models import Tournament
from arena.competition.series.services import series_create
from arena.competition.services import tournament_pause, tournament_resume
from arena.jobs import flow, tasks
from arena.jobs.flow import tournament_advance, tournament_close_early, tournament_finalise
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.matches.reruns import table_rerun
from arena.operations.staleness import oldest_rows
from arena.standings.audit import tournament_audit
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting
from tests.refusals import refusal

pytestmark = pytest.mark.full

State = Tournament.State
HOUR = datetime.timedelta(hours=1)
DAY = 24 * HOUR
KNOCKOUT = {"boards_per_round": 1, "stages": [{"format": "single_elimination"}]}


def in_review(review_hours: int = 24, **fields: object) -> Tournament:
    """A played event of two entries at the start of its review."""
    event = begun(2, review_hours=review_hours, **{"boards_per_round": 1, **fields})
    won_by_forfeit(event)
    assert event.state == State.PROVISIONAL
    event.refresh_from_db()
    return event


def won_by_forfeit(event: Tournament) -> None:
    """Play the only fixture that is open so that it has a winner."""
    first, *others = waiting(event)
    play_table(first, frozenset({1}))
    for table in others:
        play_table(table)
    tournament_advance(event)


def move_clock(event: Tournament, by: datetime.timedelta) -> None:
    """Let time pass for an event: its moments are further in the past by so much."""
    event.refresh_from_db()
    event.state_at -= by
    assert event.provisional_at
    assert event.review_until
    event.provisional_at -= by
    event.review_until -= by
    event.save(update_fields=["state_at", "provisional_at", "review_until"])


def left(event: Tournament) -> datetime.timedelta:
    """The time until the review ends, to the minute."""
    event.refresh_from_db()
    assert event.review_until is not None
    minutes = round((event.review_until - timezone.now()).total_seconds() / 60)
    return datetime.timedelta(minutes=minutes)


def ruled(event: Tournament, kind: str = "void") -> None:
    """Rule on the last fixture that was drawn, and let the event continue; its first entry forfeits."""
    fixture = Fixture.objects.filter(tournament=event).exclude(tables=None).order_by("pk").last()
    assert fixture is not None
    sides = fixture.sides.order_by("position").values_list("entry__public_id", flat=True)
    entries = sides[:1] if kind == "forfeit" else ()
    fixture_adjudicate(fixture, event.organiser, kind, entries, "seen in the record")
    tournament_advance(event)
    event.refresh_from_db()


@pytest.fixture
def audits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The state of the event at each audit; the audits are real."""
    made: list[str] = []

    def audited(tournament: Tournament, on_record: Callable[[], object]) -> list[str]:
        made.append(tournament.state)
        return tournament_audit(tournament)

    monkeypatch.setattr(flow, "tournament_audit", audited)
    return made


@pytest.mark.django_db
def test_without_review_hours_an_event_is_final_at_once(audits: list[str]) -> None:
    event = begun(2, boards_per_round=1)
    play_out(event)
    event.refresh_from_db()
    assert (event.state, event.review_until, len(audits)) == (State.FINAL, None, 1)
    assert event.provisional_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [1, 24, 72])
def test_it_is_provisional_for_its_review_and_audited_at_both_ends(hours: int, audits: list[str]) -> None:
    event = in_review(hours)
    assert (left(event), event.audit_disagreements, len(audits)) == (hours * HOUR, 0, 1)
    assert (event.revealed_at, event.state_reason) == (None, "")
    tournament_advance(event)
    move_clock(event, hours * HOUR - datetime.timedelta(minutes=1))
    cache.clear()
    tournament_advance(event)
    assert (event.state, len(audits)) == (State.PROVISIONAL, 1), "nothing changed"
    move_clock(event, datetime.timedelta(minutes=1))
    tournament_advance(event)
    event.refresh_from_db()
    assert (event.state, len(audits)) == (State.FINAL, 2)
    assert event.revealed_at is not None
    assert event.review_until is not None
    assert event.review_until <= timezone.now()


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [-1, 73, "x", 1.5, None, True])
def test_impossible_hours_are_refused_at_their_field(hours: object) -> None:
    refused = refusal(Invalid, validate_draft, {"name": "Cup", "preset": "kakeya4", "review_hours": hours})
    assert (refused.code, refused.extra["field"]) == ("invalid", "review_hours")
    event = begun(2)
    late = refusal(Invalid, tournament_update, event, event.organiser, review_hours=hours)
    assert late.extra["field"] == "review_hours"


@pytest.mark.django_db
def test_the_hours_can_be_changed_until_the_review_begins() -> None:
    event = begun(2, boards_per_round=1)
    tournament_update(event, event.organiser, review_hours=12)
    play_out(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, 12 * HOUR)
    refused = refusal(Conflict, tournament_update, event, event.organiser, review_hours=0)
    assert (refused.code, refused.extra["field"]) == ("wrong_state", "review_hours")


@pytest.mark.django_db
def test_a_ruling_returns_to_the_same_deadline_and_is_audited_again(audits: list[str]) -> None:
    event = in_review()
    move_clock(event, 10 * HOUR)
    until = event.review_until
    ruled(event)
    assert (event.state, event.review_until, event.audit_disagreements) == (State.PROVISIONAL, until, 0)
    assert len(audits) == 2
    ruled(event, "lift")
    assert (event.review_until, len(audits)) == (until, 3)


@pytest.mark.django_db
def test_after_a_ruling_there_is_an_hour_left_at_least() -> None:
    event = in_review()
    move_clock(event, 23.5 * HOUR)
    ruled(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, HOUR)


@pytest.mark.django_db
def test_a_rerun_that_outlasts_the_deadline_leaves_an_hour_too() -> None:
    event = in_review()
    fixture = Fixture.objects.filter(tournament=event).get()
    table_rerun(fixture.tables.all()[0], event.organiser, "the host was ill")
    tournament_advance(event)
    move_clock(event, 30 * HOUR)
    tournament_advance(event)
    assert event.state == State.RUNNING
    play_out(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, HOUR)


@pytest.mark.django_db
def test_a_ruling_after_which_a_fixture_is_drawn_restarts_the_period() -> None:
    event = in_review(**KNOCKOUT)
    move_clock(event, 20 * HOUR)
    assert left(event) == 4 * HOUR
    ruled(event, "draw")
    assert event.state == State.RUNNING, "the level match is replayed"
    won_by_forfeit(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, 24 * HOUR)
    move_clock(event, 20 * HOUR)
    ruled(event, "forfeit")
    assert (event.state, left(event)) == (State.PROVISIONAL, 4 * HOUR), "nothing was drawn since"


@pytest.mark.django_db
def test_the_review_ends_seven_days_after_it_began_whatever_is_ruled() -> None:
    event = in_review(72)
    Tournament.objects.filter(pk=event.pk).update(
        provisional_at=timezone.now() - 7 * DAY + HOUR / 2, review_until=timezone.now() + HOUR / 4
    )
    event.refresh_from_db()
    ruled(event, "draw")
    assert (event.state, left(event)) == (State.PROVISIONAL, HOUR / 2)
    move_clock(event, HOUR)
    Tournament.objects.filter(pk=event.pk).update(review_until=timezone.now() + HOUR)
    ruled(event)
    assert event.state == State.FINAL, "the seven days are over"


@pytest.mark.django_db
def test_seven_days_bound_a_restarted_period_too() -> None:
    event = in_review(72, **KNOCKOUT)
    move_clock(event, 71 * HOUR)
    Tournament.objects.filter(pk=event.pk).update(provisional_at=timezone.now() - 6 * DAY)
    ruled(event, "draw")
    won_by_forfeit(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, 24 * HOUR)


@pytest.mark.django_db
def test_an_event_paused_during_its_review_keeps_the_deadline() -> None:
    event = in_review()
    until = event.review_until
    fixture = Fixture.objects.filter(tournament=event).get()
    table_rerun(fixture.tables.all()[0], event.organiser, "the host was ill")
    event.refresh_from_db()
    tournament_pause(event, event.organiser)
    tournament_resume(event, event.organiser)
    play_out(event)
    event.refresh_from_db()
    assert (event.state, event.review_until) == (State.PROVISIONAL, until)


@pytest.mark.django_db
def test_one_closed_early_has_its_review() -> None:
    event = begun(4, boards_per_round=1, review_hours=24)
    for table in waiting(event):
        play_table(table)
    tournament_pause(event, event.organiser)
    tournament_close_early(event, event.organiser, "the hall closes")
    tournament_advance(event)
    assert (event.state, left(event), event.audit_disagreements) == (State.PROVISIONAL, 24 * HOUR, 0)
    assert event.state_note == {"code": "closed_early_because", "text": "the hall closes"}


@pytest.mark.django_db
def test_finalising_ends_the_review_and_names_who_did_it(audits: list[str]) -> None:
    event = in_review()
    refusal(Forbidden, tournament_finalise, event, factories.chie())
    tournament_finalise(event, event.organiser)
    event.refresh_from_db()
    assert (event.state, len(audits)) == (State.FINAL, 2)
    assert event.review_until is not None
    assert event.review_until <= timezone.now()
    line = AuditEvent.objects.get(action="finalise")
    assert (line.actor, line.before, line.after["state"]) == (
        event.organiser,
        {"state": "provisional"},
        "final",
    )


@pytest.mark.django_db
def test_finalising_with_a_failed_audit_leaves_the_review_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    event = in_review()
    until = event.review_until
    monkeypatch.setattr(flow, "tournament_audit", lambda _, **__: ["a record is missing"])
    assert refusal(Conflict, tournament_finalise, event, event.organiser).code == "audit_failed"
    event.refresh_from_db()
    assert (event.state, event.review_until, event.audit_disagreements) == (State.PROVISIONAL, until, 1)


@pytest.mark.django_db
def test_a_failed_audit_is_repeated_during_the_review_and_cancels_seven_days_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    with monkeypatch.context() as broken:
        broken.setattr(flow, "tournament_audit", lambda _, **__: made.append(1) or ["a record is missing"])
        event = in_review(48)
        assert (event.audit_disagreements, len(made)) == (1, 1)
        tournament_advance(event)
        assert len(made) == 1, "not at once"
        cache.clear()
        tournament_advance(event)
        assert len(made) == 2
        move_clock(event, 48 * HOUR + 7 * DAY - HOUR)
        tournament_advance(event)
        assert event.state == State.PROVISIONAL
        overdue = {(row.what, row.state) for row in oldest_rows() if row.is_overdue}
        assert ("tournament", "provisional") not in overdue
        move_clock(event, 2 * HOUR)
        cache.clear()
        tournament_advance(event)
    assert event.state == State.CANCELLED


@pytest.mark.django_db
def test_a_failed_audit_that_passes_again_during_the_review_clears_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(flow, "tournament_audit", lambda _, **__: ["a record is missing"])
        event = in_review()
    assert event.state_note["code"] == "audit_found"
    cache.clear()
    tournament_advance(event)
    event.refresh_from_db()
    assert (event.state, event.state_reason, event.audit_disagreements) == (State.PROVISIONAL, "", 0)


@pytest.mark.django_db
def test_a_ruling_during_the_last_audit_is_not_overtaken_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    event = in_review()
    move_clock(event, 25 * HOUR)
    kinds = iter(("void", "forfeit"))

    def overtaken(tournament: Tournament, on_record: Callable[[], object]) -> list[str]:
        monkeypatch.setattr(flow, "tournament_audit", tournament_audit)
        ruled(Tournament.objects.get(pk=tournament.pk), next(kinds))
        return []

    monkeypatch.setattr(flow, "tournament_audit", overtaken)
    tournament_advance(event)
    assert (event.state, left(event)) == (State.PROVISIONAL, HOUR)
    move_clock(event, 25 * HOUR)
    monkeypatch.setattr(flow, "tournament_audit", overtaken)
    assert refusal(Conflict, tournament_finalise, event, event.organiser).code == "review_extended"


@pytest.mark.django_db
def test_the_review_of_a_large_event_ends_by_the_task_that_audits_it(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:
    sent: list[tuple[int, ...]] = []

    def send(name: str, args: tuple[int, ...] = (), *_: object, **how: object) -> None:
        if name == tasks.tournament_finalise.name:
            sent.append(args)

    monkeypatch.setattr("arena.jobs.flow.AUDIT_TABLES", 1)
    monkeypatch.setattr("arena.jobs.publish.app.send_task", send)
    with django_capture_on_commit_callbacks(execute=True):
        event = in_review()
    assert sent == [(event.pk,)]
    tasks.tournament_finalise(*sent.pop())
    event.refresh_from_db()
    assert (event.state, event.audit_disagreements) == (State.PROVISIONAL, 0)
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(Conflict) as refused:
        tournament_finalise(event, event.organiser)
    assert (refused.value.code, sent) == ("audit_in_progress", [(event.pk, event.organiser_id)])
    tasks.tournament_finalise(event.pk, factories.chie().pk)
    event.refresh_from_db()
    assert event.state == State.PROVISIONAL, "a stranger cannot end it"
    tasks.tournament_finalise(*sent.pop())
    event.refresh_from_db()
    assert event.state == State.FINAL


@pytest.mark.django_db
def test_an_event_in_its_review_is_not_overdue() -> None:
    event = in_review(72)
    long_ago = timezone.now() - 30 * DAY
    Tournament.objects.filter(pk=event.pk).update(state_at=long_ago)
    row = next(row for row in oldest_rows() if (row.what, row.state) == ("tournament", "provisional"))
    assert (row.seconds, row.is_overdue) == (0, False)
    Tournament.objects.filter(pk=event.pk).update(review_until=timezone.now() - 8 * DAY)
    row = next(row for row in oldest_rows() if (row.what, row.state) == ("tournament", "provisional"))
    assert row.is_overdue


@pytest.mark.django_db
def test_the_template_of_a_series_has_review_hours() -> None:
    template = {"preset": "kakeya4", "review_hours": 6}
    series = series_create(
        factories.odo(),
        name="Evening Cup",
        template=template,
        frequency="daily",
        start_time=datetime.time(20),
    )
    assert series.template["review_hours"] == 6
    with pytest.raises(Invalid) as refused:
        series_create(
            factories.odo(),
            name="Late Cup",
            template={**template, "review_hours": 73},
            frequency="daily",
            start_time=datetime.time(20),
        )
    assert refused.value.extra["field"] == "template.review_hours"
