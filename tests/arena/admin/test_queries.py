"""A list of the admin takes as many queries for many rows as for few, and counts no further than it pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.admin import read_only
from arena.competition.models import Tournament
from tests.arena.admin.pages import OURS, OWNED, list_url, row_url
from tests.arena.play import begun
from tests.factories import a_bot, a_token, a_tournament, a_version, aya, chie, odo

pytestmark = [pytest.mark.django_db, pytest.mark.full]
MOST_QUERIES = 16


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert client.get(url).status_code == 200
    return len(caught)


@pytest.fixture
def few_then_many(db: None) -> Iterator[object]:
    """Makes rows of most kinds: two entries, a round, tables, bots; then many more of each."""

    def make(count: int) -> None:
        begun(min(count, 6), organiser=odo())
        for _ in range(count):
            a_tournament(odo())
        for owner in (aya(), chie()):
            for _ in range(count // 2):
                a_version(a_bot(owner))
                a_token(owner)

    return make  # type: ignore[return-value]


def test_as_many_queries_for_twelve_rows_as_for_two(
    few_then_many: object, staff: Client, organiser: Client
) -> None:
    few_then_many(2)  # type: ignore[operator]
    for client in (staff, organiser):
        client.get(list_url(Tournament))
    few = {
        (name, model): queries(client, list_url(model))
        for name, client, models in (("staff", staff, OURS), ("organiser", organiser, OWNED))
        for model in models
    }
    few_then_many(12)  # type: ignore[operator]
    clients = {"staff": staff, "organiser": organiser}
    for (name, model), count in few.items():
        now = queries(clients[name], list_url(model))
        assert now <= max(count, 6) + 2, f"{model.__name__} for {name}: {count} queries, then {now}"
        assert now <= MOST_QUERIES, f"{model.__name__} for {name}: {now} queries"


def test_the_page_of_a_tournament_takes_few_queries(few_then_many: object, organiser: Client) -> None:
    few_then_many(2)  # type: ignore[operator]
    small = queries(organiser, row_url(Tournament.objects.earliest("id")))
    few_then_many(12)  # type: ignore[operator]
    large = queries(organiser, row_url(Tournament.objects.filter(state="running").latest("id")))
    assert large <= small


def test_long_lists_are_counted_to_a_bound(
    few_then_many: object, staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_then_many(12)  # type: ignore[operator]
    monkeypatch.setattr(read_only, "MOST_COUNTED", 5)
    model: type[Model]
    for model in OWNED:
        answer = staff.get(list_url(model))
        assert answer.context["cl"].result_count <= 5
