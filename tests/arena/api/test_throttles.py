"""Too many requests are told when to come back; whose they are and what they cost decides how many."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from arena.api import throttles
from tests.arena.api.conftest import caller
from tests.arena.api.test_problems import check
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db

NOON = 1_800_000_000.0
"""The start of an hour, a minute and a second."""


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the clock of the counters."""

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(throttles, "clock", lambda: NOON + seconds)

    set_to(0)
    return set_to


@pytest.fixture
def rates(settings: Any) -> dict[str, str]:
    settings.API_RATES = {**settings.API_RATES, "anonymous": "4/min", "user": "6/min", "uploads": "2/hour"}
    rates: dict[str, str] = settings.API_RATES
    return rates


def statuses(client: Any, times: int, path: str = "/api/v1/games", **how: Any) -> list[int]:
    return [client.get(path, **how).status_code for _ in range(times)]


def test_addresses_and_accounts_have_limits_of_their_own(at: Any, rates: dict[str, str]) -> None:
    assert statuses(caller(), 5) == [200] * 4 + [429]
    assert statuses(caller(), 1, REMOTE_ADDR="192.0.2.7") == [200]
    assert statuses(caller(aya()), 7) == [200] * 6 + [429]
    assert statuses(caller(aya()), 1) == [429], "another token of the same account"
    assert statuses(caller(ben()), 1) == [200]


def test_a_limit_ends_as_retry_after_says(at: Any, rates: dict[str, str]) -> None:
    client = caller()
    at(50)
    statuses(client, 4)
    refused = client.get("/api/v1/games")
    check(refused, 429, "throttled")
    wait = int(refused["Retry-After"])
    assert 10 < wait <= 60
    at(50 + wait - 2)
    assert statuses(client, 1) == [429]
    at(50 + wait)
    assert statuses(client, 1) == [200]


def test_a_window_has_no_edge(at: Any, rates: dict[str, str]) -> None:
    at(59)
    assert statuses(caller(), 4) == [200] * 4
    at(61)
    assert statuses(caller(), 2) == [429, 429], "the last minute held four already"
    at(90)
    assert statuses(caller(), 3) == [200, 200, 429], "half of them have gone"


def test_a_refused_request_does_not_count(at: Any, rates: dict[str, str]) -> None:
    assert statuses(caller(), 30)[-1] == 429
    at(119)
    assert statuses(caller(), 1) == [200]


def test_uploads_have_a_limit_looking_at_them_has_not(at: Any, rates: dict[str, str]) -> None:
    client = caller(aya())
    path = (
        f"/api/v1/bots/{client.post('/api/v1/bots', {'name': 'k', 'game': 'kakeya'}).json()['id']}/versions"
    )
    got = [client.post(path, {}, format="multipart").status_code for _ in range(3)]
    assert got == [400, 400, 429]
    assert client.get(path).status_code == 200


def test_the_limits_are_told(rates: dict[str, str]) -> None:
    assert caller().get("/api/v1/limits").json()["throttles"] == rates


def test_without_a_place_to_count_all_may_pass(
    rates: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the shared cache behaves while its server cannot be reached."""

    def missing(*_: Any) -> int:
        raise ValueError("no such key")

    monkeypatch.setattr(cache, "get_many", lambda _: {}, raising=False)
    monkeypatch.setattr(cache, "incr", missing, raising=False)
    assert set(statuses(caller(), 9)) == {200}
