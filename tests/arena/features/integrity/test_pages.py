"""Pages of reports and of rulings on pairs: words first, what a ruling will do, then it is done."""

from __future__ import annotations

import html

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.panels import finding_views, headline
from arena.features.integrity.selectors import findings_of
from arena.features.integrity.services import reports_make
from arena.features.ratings.models import LeftOutPair, RatingList
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
        "odd_boards": [board],
    }
    Report.objects.filter(pk=report.pk).update(flagged=report.flagged + 1, pairs=190)
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


def test_the_report_says_first_whether_anything_stands_out(event: Tournament) -> None:
    odo, address = client_of(factories.odo()), f"/organise/events/{event.public_id}/integrity"
    page = text_of(odo, address)
    assert "No two have met on 16 boards yet" in page
    assert "Forfeits and waits of 3 fixtures show nothing." in page
    finding = flagged(event)
    page = text_of(odo, address)
    names = [named.entry.version for named in findings_of(finding.report)]  # type: ignore[union-attr]
    assert f"One pair of 190 stands out: {names[0]}" in page
    assert f"{names[0]} won +1.50 ± 0.20 stones a board from" in page
    assert "1.2 of 100 findings as unlikely as this one are false." in page
    board = finding.odd_boards[0]
    assert f'href="/boards/{board["board_set"]}/2"' in page
    assert "−4.50 stones" in page
    assert "One pair of 190 stands out" in text_of(odo, f"/organise/events/{event.public_id}")
    listed = text_of(odo, "/integrity")
    assert (event.name in listed, "1 finding" in listed, "ratings," in listed) == (True, True, False)
    assert "ratings, 4 seats" in text_of(client_of(factories.sota()), "/integrity")


def test_every_kind_of_finding_has_words_of_its_own(event: Tournament) -> None:
    kinds = [
        *(("results", kind) for kind in ("duel", "dump", "gang")),
        *(("forfeits", kind) for kind in ("against", "receives")),
        *(("waits", kind) for kind in ("against", "receives", "often")),
    ]
    for subject, kind in kinds:
        flagged(event, subject=subject, kind=kind, seen=4, expected=0.5)
    report = Report.objects.get(tournament=event)
    found = findings_of(report)
    views = finding_views(report, found)
    assert len({view.text for view in views}) == len(kinds)
    assert not [view for view in views if "%(" in view.text]
    assert headline(report, found) == [
        "3 pairs of 190 stand out.",
        "Forfeits or waits stand out in 5 cases.",
    ]


def test_a_ruling_on_a_pair_says_what_it_will_do_and_is_lifted_on_the_same_page(event: Tournament) -> None:
    finding, odo = flagged(event), client_of(factories.odo())
    address = f"/organise/events/{event.public_id}/pairs/{finding.entry}/{finding.other}"
    page = text_of(odo, address)
    assert "1 fixture in which the two were opponents will be void" in page
    assert odo.post(address, {"reason": "", "seen": "1..0"}).status_code == 400
    assert odo.post(address, {"reason": "soft play", "seen": "of long ago"}).status_code == 400
    assert not PairRuling.objects.exists()
    assert sent(odo, address) == 302
    assert PairRuling.objects.get().actor == factories.odo()
    report = text_of(odo, f"/organise/events/{event.public_id}/integrity")
    assert "“they played for each other”" in report
    Tournament.objects.filter(pk=event.pk).update(state="running")
    assert "1 fixture will count as played again." in text_of(odo, address)
    assert sent(odo, address, "chance") == 302
    assert PairRuling.objects.get().lift_reason == "chance"
    Tournament.objects.filter(pk=event.pk).update(state="final")
    assert "until it is final; this one is final" in text_of(odo, address)
    assert odo.get(f"/organise/events/{event.public_id}/pairs/{finding.entry}/nosuch").status_code == 404


def test_staff_leave_a_pair_out_of_a_list_and_take_it_back(event: Tournament) -> None:
    found, sota = RatingList.objects.get(), client_of(factories.sota())
    versions = [entry.version.public_id for entry in event.entries.order_by("pk")[:2]]
    address = f"/integrity/{found.public_id}/pairs/{'/'.join(versions)}"
    assert "1 fixture between the two, on 2 boards of 1 event, will be left out" in text_of(sota, address)
    assert sent(sota, address) == 302
    assert LeftOutPair.objects.get().actor == factories.sota()
    assert "“they played for each other”" in text_of(sota, f"/integrity/{found.public_id}")
    assert "“they played for each other”" in text_of(Client(), f"/ratings/{found.public_id}")
    assert "What was left out counts in this list again: 1 fixture." in text_of(sota, address)
    assert sent(sota, address, "chance") == 302
    assert LeftOutPair.objects.get().lifted_at is not None
