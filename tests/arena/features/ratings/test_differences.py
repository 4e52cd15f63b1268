"""Numbers and intervals of a list are relative to its reference, on pages, in the API and in the export."""

from __future__ import annotations

import json
import random

import pytest
from django.test import Client

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import User
from arena.features.ratings.export import list_export_lines
from arena.features.ratings.models import Line, RatedSet, RatingList
from arena.features.ratings.panels.forest import span_of
from arena.features.ratings.selectors import difference, lines_of_list
from arena.features.ratings.services import list_rebuild
from arena.matches.models import BoardSet
from arena.web.drawing.plots import Interval, interval_text
from league.rating.derive import verify_rating_list
from league.rating.packing import pack_sets
from tests import factories
from tests.arena.features.ratings.documents import document_of
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.league.rating.fields import twins as made_twins

pytestmark = pytest.mark.django_db


def list_with_twins() -> RatingList:
    """House greedy, a version that scores the same as it on every board, and four others."""
    play_out(begun(2, boards_per_round=2))
    house = User.objects.filter(username=HOUSE_USERNAME).first() or factories._user(HOUSE_USERNAME)
    owners = [house, *factories.players(5)]
    reference, twin, *others = (factories.a_version(factories.a_bot(owner)).public_id for owner in owners)
    sets = made_twins(reference, twin, others, random.Random(5))
    rating_list = RatingList.objects.create(
        kind="ladder",
        game="kakeya",
        preset="kakeya4",
        board_kind="deal",
        seats=4,
        season="1",
        ladder_season="season000001",
    )
    RatedSet.objects.create(list=rating_list, board_set=BoardSet.objects.get(), scores=pack_sets(sets))
    assert list_rebuild(rating_list)
    rating_list.refresh_from_db()
    return rating_list


twins_of_the_list = made_once(list_with_twins, serials=2000)


@pytest.fixture
def twins(twins_of_the_list: RatingList, db: None) -> RatingList:
    """The same for all tests here."""
    return given(twins_of_the_list)


def test_pages_show_the_interval_of_the_difference(twins: RatingList, client: Client) -> None:
    assert twins.reference is not None
    reference = lines_of_list(twins).get(version=twins.reference)
    assert (reference.difference, reference.difference_low, reference.difference_high) == (0, 0, 0)
    page = client.get(twins.page).content.decode()
    narrow = []
    for line in lines_of_list(twins).exclude(pk=reference.pk):
        gap = difference(twins, line, reference)
        assert gap is not None
        shown = line.difference, line.difference_low, line.difference_high, line.difference_error
        assert shown == pytest.approx(gap[:4], abs=1e-12)
        assert f'aria-label="{interval_text(Interval(*gap[:3]))}"' in page
        assert line.standard_error is not None
        narrow.append(gap.standard_error < 0.6 * line.standard_error)
    assert narrow.count(True) == 1, "only the copy of the reference"


def test_a_list_without_a_reference_is_relative_to_its_average(twins: RatingList, client: Client) -> None:
    User.objects.filter(username=HOUSE_USERNAME).update(username="nobody")
    list_rebuild(twins)
    twins.refresh_from_db()
    assert (twins.reference, twins.reference_partner) == (None, "")
    page = client.get(twins.page).content.decode()
    for line in lines_of_list(twins):
        assert [getattr(line, name) for name in Line.DIFFERENCE] == [None] * 4
        assert None not in (line.estimate, line.low, line.high)
        assert interval_text(span_of(line, False)) in page


def test_the_api_has_both(twins: RatingList, client: Client) -> None:
    answer = client.get(f"/api/v1/rating-lists/{twins.public_id}").json()
    assert twins.reference is not None
    assert (answer["reference"], answer["reference_partner"]) == (twins.reference.public_id, "self")
    rows = client.get(f"/api/v1/ratings?list={twins.public_id}").json()["results"]
    stored = {line.version.public_id: line for line in lines_of_list(twins)}
    for row in rows:
        line = stored[row["version"]["id"]]
        for name in (*Line.FIGURES, *Line.DIFFERENCE):
            assert row[name] == getattr(line, name)


def test_the_export_proves_the_differences(twins: RatingList) -> None:
    document = json.loads(json.dumps(document_of(list(list_export_lines(twins)))))
    assert verify_rating_list(document) == ([], True)
    (changed,) = (
        row for row in document["lines"] if row["version"] == document["list"]["reference"]["version"]
    )
    changed["difference"]["difference_high"] = 0.1
    (found,) = verify_rating_list(document).disagreements
    assert changed["version"] in found
    assert "difference_high" in found
    for row in document["lines"]:
        del row["difference"]
    del document["list"]["reference"]
    assert verify_rating_list(document) == ([], True), "as release 1.0.0 wrote it"
