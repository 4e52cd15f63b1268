"""A list as a file: everything of it follows from its board scores, and these are those of the events."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.features.ratings.export import list_export_lines
from arena.features.ratings.models import RatedSet, RatingList
from arena.features.ratings.pairs import pair_leave_out
from arena.features.ratings.services import ratings_make
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings.export import export_document
from league.rating.derive import compare_with_event, verify_rating_list
from tests import factories
from tests.arena.features.ratings.documents import Document, document_of
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out, play_table, seats_of, waiting

pytestmark = pytest.mark.django_db


def two_events() -> list[Tournament]:
    """A league with a forfeit, and one of partners that change, in one list."""
    league = begun(5, boards_per_round=4)
    table = waiting(league)[0]
    entry = table.seats.order_by("seat")[0].entry
    play_table(table, forfeiting=seats_of(table, entry))
    play_out(league)
    mixed = begun(4, accepts_partners=True, boards_per_round=2, stages=[{"format": "movement"}])
    play_out(mixed)
    ratings_make()
    return [league, mixed]


rows_of_the_events = made_once(two_events)


@pytest.fixture
def events(rows_of_the_events: list[Tournament], db: None) -> list[Tournament]:
    """The same for all tests here."""
    return given(rows_of_the_events)


def test_a_list_follows_from_its_file_and_agrees_with_its_events(
    events: list[Tournament], client: Client
) -> None:
    found = RatingList.objects.get()
    answer = client.get(f"/api/v1/rating-lists/{found.public_id}/export")
    assert answer["Content-Type"] == "application/x-ndjson"
    sent = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    document = document_of(sent.splitlines())
    assert verify_rating_list(document) == ([], True)
    assert {row["tournament"] for row in document["sets"]} == {event.public_id for event in events}
    exports = [
        json.loads(json.dumps(export_document(event, with_open_sets=False, with_secret=False)))
        for event in events
    ]
    for exported in exports:
        disagreements, rated, sets = compare_with_event(document, exported)
        assert (disagreements, rated) == ([], sets)
        assert sets > 0

    changed = copy.deepcopy(document)
    place = next(at for at, line in enumerate(document["lines"]) if line["figures"] is not None)
    changed["lines"][place]["figures"]["estimate"] += 1e-9
    assert verify_rating_list(changed) == (["the digest is not that of its lines"], False)

    def wrong(change: Callable[[Document], object], event: int | None = None) -> str:
        broken = copy.deepcopy(document)
        change(broken)
        sentences = (
            verify_rating_list(broken)[0] if event is None else compare_with_event(broken, exports[event])[0]
        )
        assert sentences, "nothing was found"
        return " / ".join(sentences)

    def rescored(broken: Document) -> None:
        scores = broken["sets"][0]["scores"][0][0]
        scores[0], scores[1] = (
            scores[0] + broken["sets"][0]["parts"],
            scores[1] - broken["sets"][0]["parts"],
        )

    def without_a_fixture(broken: Document) -> None:
        for name in ("fixtures", "members", "scores", "is_ruled"):
            broken["sets"][0][name].pop()

    def swapped(broken: Document) -> None:
        broken["sets"][0]["members"][0].reverse()

    first = document["lines"][place]["version"]
    assert f"version {first} (" in wrong(rescored)
    assert "the list has other board scores" in wrong(rescored, 0)
    assert "it is said to have" in wrong(without_a_fixture)
    assert "counts in the tournament and is not in the list" in wrong(without_a_fixture, 0)
    assert "not in the tournament" in wrong(
        lambda broken: broken["sets"][0]["fixtures"].__setitem__(0, "0"), 0
    )
    assert "the list has other board scores" in wrong(swapped, 0)
    assert "has no line" in wrong(lambda broken: broken["lines"].pop())
    assert "format" in wrong(lambda broken: broken["list"].update(format="x"))
    for damage in (
        lambda broken: broken["sets"][0].pop("parts"),
        lambda broken: broken["sets"][0].update(parts=0),
        lambda broken: broken["sets"][0]["scores"][0][0].__setitem__(0, 99),
        lambda broken: broken["sets"][0]["scores"].pop(),
        lambda broken: broken["sets"][0]["members"][0][0].__setitem__(0, 99),
        lambda broken: broken["sets"].append(broken["sets"][0]),
        lambda broken: broken["lines"].append(7),
    ):
        assert "the export cannot be read: " in wrong(damage)


def test_a_pair_left_out_by_a_ruling_is_named_and_its_fixtures_are_not_missed(
    events: list[Tournament],
) -> None:
    found, event = RatingList.objects.get(), events[0]
    versions = [entry.version for entry in event.entries.order_by("pk")[:2]]
    pair_leave_out(found, factories.sota(), [row.public_id for row in versions], "soft play")
    ratings_make()
    found.refresh_from_db()
    document = document_of(list(list_export_lines(found)))
    assert verify_rating_list(document) == ([], True)
    (named,) = document["list"]["left_out"]
    assert (named["bundles"], named["reason"]) == ([row.bundle_sha256 for row in versions], "soft play")
    exported = json.loads(json.dumps(export_document(event, with_open_sets=False, with_secret=False)))
    assert compare_with_event(document, exported).disagreements == []
    document["list"]["left_out"] = []
    (missed,) = compare_with_event(document, exported).disagreements
    assert "counts in the tournament and is not in the list" in missed
    others = [row.version.public_id for row in event.entries.order_by("pk")[2:4]]
    document["list"]["left_out"] = [{**named, "versions": others}]
    (kept,) = verify_rating_list(document).disagreements
    assert "are left out by a ruling" in kept


@pytest.mark.parametrize("place", [0, 1], ids=["pairs", "partners that change"])
def test_rulings_of_persons_agree_with_the_exports_of_events(events: list[Tournament], place: int) -> None:
    event, odo = events[place], factories.odo()
    played = list(Fixture.objects.filter(tournament=event, state="settled").order_by("pk"))
    played = [fixture for fixture in played if fixture.sides.count() > 1]
    Tournament.objects.filter(pk=event.pk).update(state="running")
    forfeited = [played[0].sides.order_by("position")[0].entry.public_id]
    fixture_adjudicate(played[0], odo, "forfeit", forfeited, "a protest")
    fixture_adjudicate(played[1], odo, "draw", [], "a protest")
    fixture_adjudicate(played[2], odo, "void", [], "a protest")
    tournament_advance(event)
    ratings_make()
    document = document_of(list(list_export_lines(RatingList.objects.get())))
    assert verify_rating_list(document) == ([], True)
    exported = json.loads(json.dumps(export_document(event, with_open_sets=False, with_secret=False)))
    assert compare_with_event(document, exported).disagreements == []
    rated = {fixture for row in document["sets"] for fixture in row["fixtures"]}
    assert {fixture.public_id for fixture in played[:2]} <= rated
    assert played[2].public_id not in rated


def test_one_made_again_meanwhile_says_so(events: list[Tournament]) -> None:
    lines = list_export_lines(RatingList.objects.get())
    next(lines)
    RatingList.objects.update(revision=9)
    *_, end = lines
    assert json.loads(end)["revision"] == 9
    assert RatedSet.objects.count() == 5 + 3
