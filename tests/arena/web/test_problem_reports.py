"""The page of reported problems, and what leads to it: for entrants, the organiser and strangers."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.competition.models import Entry, ProblemReport, Tournament
from arena.competition.problem_reports import report_close, report_open
from arena.jobs.flow import tournament_finalise
from tests import factories
from tests.arena.play import begun, play_out
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Tournament:
    """In its review."""
    return play_out(begun(2, boards_per_round=1, review_hours=24))


@pytest.fixture
def entry(event: Tournament) -> Entry:
    return event.entries.select_related("player__user").order_by("pk")[0]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_an_entrant_reports_and_the_organiser_answers(event: Tournament, entry: Entry) -> None:
    where = f"{event.page}/reports"
    aya, odo = signed_in(entry.player.user), signed_in(event.organiser)
    assert where in page_of(aya.get(event.page))
    assert where not in page_of(odo.get(event.page)), "nothing to answer"
    fields = {"entry": entry.public_id, "text": "<b>Board 3</b>\nwas dealt twice."}
    assert aya.post(where, {**fields, "text": " "}).status_code == 400
    assert aya.post(where, fields)["Location"] == where
    report = ProblemReport.objects.get()
    assert where in page_of(odo.get(event.page))
    assert where in page_of(odo.get("/desk"))
    page = page_of(odo.get(where))
    assert "&lt;b&gt;Board 3&lt;/b&gt;" in page
    answer = f"{where}/{report.public_id}"
    assert answer in page
    assert odo.post(answer, {"answer": ""}).status_code == 400
    assert odo.post(answer, {"answer": "Ruled on."})["Location"] == where
    for client in (aya, odo):
        page = page_of(client.get(where))
        assert "Ruled on." in page
        assert answer not in page
    assert odo.post(answer, {"answer": "Again."}).status_code == 400
    tournament_finalise(event, event.organiser)
    assert where in page_of(aya.get(event.page)), "closed reports stay visible"
    assert "Ruled on." in page_of(aya.get(where))
    assert aya.post(where, fields).status_code == 400


def test_a_second_report_of_an_entry_is_refused_on_the_page(event: Tournament, entry: Entry) -> None:
    aya = signed_in(entry.player.user)
    where = f"{event.page}/reports"
    fields = {"entry": entry.public_id, "text": "Look at board 1."}
    assert aya.post(where, fields).status_code == 302
    assert aya.post(where, fields).status_code == 400
    assert ProblemReport.objects.count() == 1


def test_strangers_see_no_report_and_cannot_answer_one(event: Tournament, entry: Entry) -> None:
    report = report_open(entry, entry.player.user, "Board 3 was dealt twice.")
    where = f"{event.page}/reports"
    assert Client().get(where).status_code == 302, "guests sign in first"
    other = event.entries.order_by("pk")[1].player.user
    for user in (other, factories.chie(), factories.rin()):
        client = signed_in(user)
        assert "dealt twice" not in page_of(client.get(where))
        assert client.post(f"{where}/{report.public_id}", {"answer": "No."}).status_code == 404
    reporter = signed_in(entry.player.user)
    answer = reporter.post(f"{where}/{report.public_id}", {"answer": "Myself."})
    assert answer.status_code == 400
    report.refresh_from_db()
    assert report.closed_at is None
    assert where not in page_of(signed_in(factories.chie()).get(event.page))


def test_finalising_with_an_open_report_says_so(event: Tournament, entry: Entry) -> None:
    report = report_open(entry, entry.player.user, "Board 3 was dealt twice.")
    odo = signed_in(event.organiser)
    where = f"/organise/events/{event.public_id}/finalise"
    refused = odo.post(where, {"seen": "provisional"})
    assert refused.status_code == 400
    report_close(report, event.organiser, "Ruled on.")
    assert odo.post(where, {"seen": "provisional"}).status_code == 302
    event.refresh_from_db()
    assert event.state == "final"
