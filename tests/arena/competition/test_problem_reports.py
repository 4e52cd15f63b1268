"""Reports of problems: who may write and answer them and when, and what they hold up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from arena.accounts.models import AuditEvent, Notice, User
from arena.common.errors import ArenaError, Conflict, Forbidden, Invalid
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Entry, ProblemReport, Tournament
from arena.competition.problem_reports import (
    entries_to_report_for,
    open_report_counts,
    report_close,
    report_open,
    reports_visible_to,
)
from arena.competition.selectors import events_visible_to
from arena.competition.services import tournament_pause
from arena.jobs import flow
from arena.jobs.flow import tournament_advance, tournament_cancel, tournament_finalise
from arena.standings.audit import tournament_audit
from tests import factories
from tests.arena.play import begun, play_out
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

State = Tournament.State


def in_review() -> Tournament:
    event = play_out(begun(2, boards_per_round=1, review_hours=24))
    assert event.state == State.PROVISIONAL
    return event


def entry_of(event: Tournament) -> Entry:
    return event.entries.select_related("player__user", "tournament").order_by("pk")[0]


def owner_of(entry: Entry) -> User:
    return entry.player.user


def reported(event: Tournament, text: str = "Board 3 was dealt twice.") -> ProblemReport:
    entry = entry_of(event)
    return report_open(entry, owner_of(entry), text)


def code_of(entry: Entry, actor: User, text: Any = "It is wrong.") -> str:
    return refusal(ArenaError, report_open, entry, actor, text).code


def test_a_report_notifies_the_organiser_and_the_answer_the_reporter() -> None:
    event = in_review()
    report = reported(event)
    reporter = report.reporter
    assert Notice.objects.filter(user=event.organiser, url_path=f"{event.page}/reports").count() == 1
    assert open_report_counts([event]) == {event.pk: 1}
    assert event.entries.count() > len(entries_to_report_for(event, reporter)) == 0
    report_close(report, event.organiser, "It was not: see its record.")
    assert (report.answer, report.closed_by) == ("It was not: see its record.", event.organiser)
    assert Notice.objects.filter(user=reporter, url_path=f"{event.page}/reports").count() == 1
    assert open_report_counts([event]) == {}
    lines = AuditEvent.objects.filter(
        object_id=event.public_id, action__in=("report_problem", "close_report")
    )
    assert [line.after["report"] for line in lines] == [report.public_id] * 2
    kinds = ("report.opened", "report.closed")
    for user, seen in ((event.organiser, kinds[:1]), (reporter, kinds[1:]), (factories.chie(), ())):
        events = events_visible_to(user).filter(kind__in=kinds)
        assert tuple(events.values_list("kind", flat=True)) == seen


def test_each_entry_has_one_open_report() -> None:
    event = in_review()
    first = reported(event)
    entry = entry_of(event)
    refused = refusal(Conflict, report_open, entry, owner_of(entry), "Another one.")
    assert (refused.code, refused.extra["report"]) == ("report_is_open", first.public_id)
    other = event.entries.order_by("pk")[1]
    report_open(other, owner_of(other), "Mine too.")
    report_close(first, event.organiser, "Ruled on.")
    report_open(entry, owner_of(entry), "Another one.")
    with pytest.raises(IntegrityError), transaction.atomic():
        ProblemReport.objects.create(entry=entry, reporter=owner_of(entry), text="By hand.")


def test_only_owners_of_the_entry_report_and_both_of_a_pair() -> None:
    event = begun(2)
    entry = entry_of(event)
    for stranger in (factories.chie(), event.organiser, factories.sota()):
        assert code_of(entry, stranger) == "not_owner"
    version = factories.a_version(factories.a_bot(factories.chie()))
    Entry.objects.filter(pk=entry.pk).update(partner_version=version)
    report = report_open(entry_of(event), factories.chie(), "Her partner saw it.")
    assert set(reports_visible_to(event, owner_of(entry))) == {report}
    report_close(report, event.organiser, "Thank you.")
    told = Notice.objects.filter(url_path=f"{event.page}/reports").exclude(user=event.organiser)
    assert {notice.user for notice in told} == {owner_of(entry), factories.chie()}


@pytest.mark.parametrize("state", State.values)
def test_problems_are_reported_while_there_can_be_a_ruling(state: str) -> None:
    event = begun(2)
    Tournament.objects.filter(pk=event.pk).update(state=state)
    event.refresh_from_db()
    entry = entry_of(event)
    if state in ("running", "paused", "provisional"):
        assert report_open(entry, owner_of(entry), "Look at board 1.").closed_at is None
    else:
        assert code_of(entry, owner_of(entry)) == "wrong_state"
        assert entries_to_report_for(event, owner_of(entry)) == []


def test_entries_that_left_may_report_and_those_that_never_played_may_not() -> None:
    event = begun(3, boards_per_round=1)
    entry = entry_of(event)
    entry_withdraw(entry, owner_of(entry), "ill")
    assert report_open(entry, owner_of(entry), "I was forced to leave.")
    other = event.entries.order_by("pk")[1]
    Entry.objects.filter(pk=other.pk).update(status=Entry.Status.WITHDRAWN)
    assert code_of(other, owner_of(other)) == "not_in_field"
    Tournament.objects.filter(pk=event.pk).update(kind=Tournament.Kind.CHALLENGE)
    third = event.entries.order_by("pk")[2]
    assert code_of(third, owner_of(third)) == "reports_unsupported"


@pytest.mark.parametrize("text", ["", "  \n", "x" * 2001, "a\x00b", "a\u202eb"])
def test_texts_are_bounded_and_can_be_read(text: str) -> None:
    event = begun(2)
    entry = entry_of(event)
    assert refusal(Invalid, report_open, entry, owner_of(entry), text).extra["field"] == "text"
    report = report_open(entry, owner_of(entry), "x" * 2000)
    assert refusal(Invalid, report_close, report, event.organiser, text).extra["field"] == "answer"


def test_only_the_organiser_and_staff_answer_once_in_any_state() -> None:
    event = in_review()
    report = reported(event)
    for stranger in (factories.chie(), report.reporter, factories.rin()):
        assert refusal(Forbidden, report_close, report, stranger, "No.").code == "not_organiser"
    tournament_cancel(event, event.organiser, "rain")
    report_close(report, factories.sota(), "It is cancelled.")
    assert refusal(Conflict, report_close, report, event.organiser, "Once more.").code == "report_is_closed"
    report.refresh_from_db()
    assert report.answer == "It is cancelled."


def test_the_parties_read_reports_and_nobody_else() -> None:
    event = in_review()
    report = reported(event)
    other = owner_of(event.entries.order_by("pk")[1])
    report_close(report, event.organiser, "Seen.")
    for user, sees in (
        (report.reporter, True), (event.organiser, True), (factories.sota(), True),
        (other, False), (factories.chie(), False), (factories.rin(), False),
    ):  # fmt: skip
        assert reports_visible_to(event, user).exists() == sees


def test_an_open_report_keeps_the_review_from_being_ended_early() -> None:
    event = in_review()
    report = reported(event)
    refused = refusal(Conflict, tournament_finalise, event, event.organiser)
    assert (refused.code, refused.extra["reports"]) == ("reports_open", [report.public_id])
    event.refresh_from_db()
    assert event.state == State.PROVISIONAL
    report_close(report, event.organiser, "Looked into it.")
    tournament_finalise(event, event.organiser)
    event.refresh_from_db()
    assert event.state == State.FINAL


def test_the_deadline_ends_the_review_even_with_an_open_report() -> None:
    event = in_review()
    report = reported(event)
    event.refresh_from_db()
    Tournament.objects.filter(pk=event.pk).update(review_until=event.state_at)
    tournament_advance(event)
    assert event.state == State.FINAL
    assert (
        code_of(event.entries.order_by("pk")[1], owner_of(event.entries.order_by("pk")[1])) == "wrong_state"
    )
    report_close(report, event.organiser, "Too late to rule.")


def test_a_report_opened_during_the_last_audit_stops_finalising(monkeypatch: pytest.MonkeyPatch) -> None:
    event = in_review()

    def overtaken(tournament: Tournament, on_record: Callable[[], object]) -> list[str]:
        reported(Tournament.objects.get(pk=tournament.pk))
        return tournament_audit(tournament)

    monkeypatch.setattr(flow, "tournament_audit", overtaken)
    assert refusal(Conflict, tournament_finalise, event, event.organiser).code == "reports_open"
    event.refresh_from_db()
    assert (event.state, event.revealed_at) == (State.PROVISIONAL, None)


def test_a_paused_event_takes_reports_too() -> None:
    event = begun(2)
    tournament_pause(event, event.organiser)
    assert reported(event)
