"""Pages of reports and of rulings on pairs: words first, what a ruling will do, then it is done."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.panels import finding_views, headline
from arena.features.integrity.selectors import findings_of
from arena.features.integrity.services import reports_make
from arena.features.ratings.models import ExcludedPair, RatingList
from arena.features.ratings.services import ratings_make
from arena.matches.models import Fixture
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db


def an_event_with_a_report() -> Tournament:
    """Played, and still to be ruled on."""
    event = play_out(begun(3, boards_per_round=2))
    Tournament.objects.filter(pk=event.pk).update(state="running")
    event.refresh_from_db()
    ratings_make()
    reports_make(rest_s=0)
    return event


rows_of_the_event = made_once(an_event_with_a_report, serials=1000)


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    """See ``an_event_with_a_report``."""
    return given(rows_of_the_event)


def flagged(event: Tournament, **fields: object) -> Finding:
    """Something that stands out between the two of the first fixture with two sides."""
    report = Report.objects.get(tournament=event)
    fixture = Fixture.objects.filter(tournament=event, sides__position=1).order_by("pk")[0]
    entry, other = fixture.sides.order_by("entry").values_list("entry__public_id", flat=True)
    board = {
        "board_set": fixture.board_set.public_id,
        "fixture": fixture.public_id,
        "board": 2,
        "stones": -4.5,
    }
    given = {
        "subject": "results",
        "kind": "duel",
        "entry": entry,
        "other": other,
        "residual": 1.5,
        "error": 0.2,
        "meetings": 1,
        "boards": 32,
        "p": 0.0001,
        "q": 0.012,
        "unusual_boards": [board],
    }
    Report.objects.filter(pk=report.pk).update(finding_count=report.finding_count + 1, pairs=190)
    return Finding.objects.create(report=report, number=report.findings.count() + 1, **{**given, **fields})


def client_of(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return client


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    return " ".join(html.unescape(answer.content.decode()).split())


def sent(client: Client, address: str, reason: str = "they played for each other") -> int:
    """The status of the form of a page, sent as it is."""
    seen = client.get(address).context["form"]["seen"].value()
    return client.post(address, {"reason": reason, "seen": seen}).status_code


def test_the_report_shows_what_stands_out(event: Tournament) -> None:
    odo, address = client_of(factories.odo()), f"/organise/tournaments/{event.public_id}/integrity"
    page = text_of(odo, address)
    finding = flagged(event)
    page = text_of(odo, address)
    names = [named.entry.version for named in findings_of(finding.report)]  # type: ignore[union-attr]
    assert all(text in page for text in (str(names[0]), "190", "+1.50 ± 0.20"))
    board = finding.unusual_boards[0]
    assert f'href="/boards/{board["board_set"]}/2"' in page
    assert "−4.50" in page
    assert address in text_of(odo, f"/organise/tournaments/{event.public_id}")
    listed = text_of(odo, "/integrity")
    of_list = f"/integrity/{RatingList.objects.get().public_id}"
    assert (address in listed, of_list in listed) == (True, False)
    assert of_list in text_of(client_of(factories.sota()), "/integrity")


def test_every_kind_of_finding_has_words_of_its_own(event: Tournament) -> None:
    kinds = [
        *(("results", kind) for kind in ("duel", "transfer", "alliance")),
        *(("forfeits", kind) for kind in ("against", "received")),
        *(("delays", kind) for kind in ("against", "received", "frequent")),
    ]
    for subject, kind in kinds:
        flagged(event, subject=subject, kind=kind, observed=4, expected=0.5)
    report = Report.objects.get(tournament=event)
    found = findings_of(report)
    views = finding_views(report, found)
    assert len({view.text for view in views}) == len(kinds)
    assert not [view for view in views if "%(" in view.text]
    assert [re.findall(r"\d+", line) for line in headline(report, found)] == [["3", "190"], ["5"]]


def test_a_pair_is_ruled_on_and_the_ruling_lifted_on_the_same_page(event: Tournament) -> None:
    finding, odo = flagged(event), client_of(factories.odo())
    address = f"/organise/tournaments/{event.public_id}/pairs/{finding.entry}/{finding.other}"
    assert odo.post(address, {"reason": "", "seen": "1..0"}).status_code == 400
    assert odo.post(address, {"reason": "soft play", "seen": "of long ago"}).status_code == 400
    assert not PairRuling.objects.exists()
    assert sent(odo, address) == 302
    assert PairRuling.objects.get().actor == factories.odo()
    report = text_of(odo, f"/organise/tournaments/{event.public_id}/integrity")
    assert "they played for each other" in report
    Tournament.objects.filter(pk=event.pk).update(state="running")
    assert sent(odo, address, "chance") == 302
    assert PairRuling.objects.get().lift_reason == "chance"
    Tournament.objects.filter(pk=event.pk).update(state="final")
    assert odo.get(f"/organise/tournaments/{event.public_id}/pairs/{finding.entry}/nosuch").status_code == 404


def test_staff_leave_a_pair_out_of_a_list_and_take_it_back(event: Tournament) -> None:
    found, sota = RatingList.objects.get(), client_of(factories.sota())
    versions = [entry.version.public_id for entry in event.entries.order_by("pk")[:2]]
    address = f"/integrity/{found.public_id}/pairs/{'/'.join(versions)}"
    assert sent(sota, address) == 302
    assert ExcludedPair.objects.get().actor == factories.sota()
    assert "they played for each other" in text_of(sota, f"/integrity/{found.public_id}")
    assert "they played for each other" in text_of(Client(), f"/ratings/{found.public_id}")
    assert sent(sota, address, "chance") == 302
    assert ExcludedPair.objects.get().lifted_at is not None
