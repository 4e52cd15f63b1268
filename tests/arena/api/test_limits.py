"""Too many requests are told when to come back; whose they are and what they cost decides how many."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common import rates as counters
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db

NOON = 1_800_000_000.0
"""The start of an hour, a minute and a second."""


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the clock of the counters."""

    def set_to(seconds: float) -> None:
        monkeypatch.setattr(counters, "clock", lambda: NOON + seconds)

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
    check(refused, 429, "rate_limited")
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


def test_while_the_shared_cache_is_out_of_reach_each_process_counts_for_itself(
    at: Any, rates: dict[str, str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "_local_until", 0.0)
    settings.CACHES = {
        "default": {"BACKEND": "arena.settings.cache.SharedCache", "LOCATION": ["redis://127.0.0.1:1/0"]}
    }
    assert statuses(caller(), 5) == [200] * 4 + [429]
    assert statuses(caller(), 1, REMOTE_ADDR="192.0.2.7") == [200]
    at(121)
    assert statuses(caller(), 1) == [200]


GUESS = {"HTTP_AUTHORIZATION": "Bearer rensho_guessed"}


@pytest.fixture
def few_guesses(settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "bad_tokens": "3/min"}


@pytest.mark.parametrize(
    "bad",
    [
        {"HTTP_AUTHORIZATION": "Bearer rensho_guessed"},
        {"HTTP_AUTHORIZATION": "Bearer"},
        {"HTTP_AUTHORIZATION": "Basic YTpi"},
        {"HTTP_COOKIE": "sessionid=guessed"},
    ],
)
def test_bad_tokens_and_sessions_count_for_their_address_and_are_refused_unread(
    at: Any, few_guesses: None, bad: dict[str, str], django_assert_num_queries: Any
) -> None:
    refused = 200 if "HTTP_COOKIE" in bad else 401
    assert statuses(caller(), 3, **bad) == [refused] * 3
    with django_assert_num_queries(0):
        answer = caller().get("/api/v1/games", **bad)
    check(answer, 429, "rate_limited")
    assert 1 <= int(answer["Retry-After"]) <= 121
    assert statuses(caller(), 1) == [200], "without a token"
    assert statuses(caller(), 1, REMOTE_ADDR="192.0.2.7", **bad) == [refused], "from elsewhere"
    at(121)
    assert statuses(caller(), 1, **bad) == [refused]


def test_a_good_token_that_was_used_lately_passes_whatever_its_neighbours_send(
    at: Any, few_guesses: None
) -> None:
    mine, late = caller(aya()), caller(ben())
    assert statuses(caller(), 1, **GUESS) == [401]
    assert statuses(mine, 1) == [200]
    assert statuses(caller(), 3, **GUESS) == [401, 401, 429]
    assert statuses(mine, 1) == [200]
    assert statuses(late, 1) == [429]


def test_behind_a_trusted_proxy_each_visitor_has_limits_of_their_own(
    at: Any, few_guesses: None, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = ("127.0.0.1/32",)
    mine, other = {"HTTP_X_FORWARDED_FOR": "203.0.113.5"}, {"HTTP_X_FORWARDED_FOR": "203.0.113.6"}
    assert statuses(caller(), 4, **GUESS, **mine) == [401, 401, 401, 429]
    assert statuses(caller(), 1, **GUESS, **other) == [401]
    forged = {"HTTP_X_FORWARDED_FOR": "198.51.100.1, 203.0.113.5"}
    assert statuses(caller(), 1, **GUESS, **forged) == [429]


def test_refusals_count_too(at: Any, rates: dict[str, str]) -> None:
    assert statuses(caller(), 5, "/api/v1/me") == [401] * 4 + [429]


@pytest.mark.parametrize(("path", "status"), [("/api/v1/schema", 200), ("/api/v1/docs", 302)])
def test_the_description_has_the_limits_of_every_end_point(
    at: Any, rates: dict[str, str], path: str, status: int
) -> None:
    assert statuses(caller(), 4, path) == [status] * 4
    check(caller().get(path), 429, "rate_limited")
    assert caller().get(f"{path}?nonsense=1", REMOTE_ADDR="192.0.2.7").status_code == 400


def test_the_description_is_drawn_up_once(django_assert_num_queries: Any) -> None:
    first = caller().get("/api/v1/schema")
    with django_assert_num_queries(0):
        again = caller().get("/api/v1/schema?format=json")
    assert first["Content-Type"].startswith("application/vnd.oai.openapi")
    assert again.json()["paths"].keys()
    other = caller().get("/api/v1/schema?format=xml")
    assert (other.status_code, other.json()["code"]) == (400, "invalid")
