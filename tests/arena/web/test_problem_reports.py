"""The page of reported problems, and what leads to it: for entrants, the organiser and strangers."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.competition.models import Entry, ProblemReport, Tournament
from arena.jobs.flow import tournament_finalise
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
