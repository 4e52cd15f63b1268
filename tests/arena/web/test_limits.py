"""Strangers: how many pages they get, what they learn of the admin, and who reads the metrics."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.test import Client

from arena.settings.logs import MAX_RECORDS, FloodFilter
from arena.settings.metrics import MetricsAccess, metrics_access_of
from arena.web.base.forwarded import ForwardedProtoMiddleware
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.full]

SECRET = "0123456789abcdef"


@pytest.fixture
def few_pages(settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "pages": "4/hour", "bad_tokens": "2/hour"}


def statuses(client: Client, times: int, path: str = "/fairness", **how: Any) -> list[int]:
    return [client.get(path, **how).status_code for _ in range(times)]


def test_pages_are_limited_by_address_and_for_those_signed_in_by_account(few_pages: None) -> None:
    aya, stranger = Client(), Client()
    aya.force_login(factories.aya())
    assert statuses(stranger, 5) == [200] * 4 + [429]
    assert statuses(aya, 5) == [200] * 4 + [429]
    assert statuses(aya, 1, REMOTE_ADDR="192.0.2.7") == [429], "the account counts wherever it is"
    assert statuses(stranger, 1, REMOTE_ADDR="192.0.2.7") == [200]


@pytest.mark.parametrize("path", ["/", "/admin/", "/nowhere", "/sign-in", "/tournaments/none/events"])
def test_one_page_too_many_says_when_to_come_back_without_asking_the_database(
    few_pages: None, path: str, django_assert_num_queries: Any
) -> None:
    statuses(Client(), 4)
    with django_assert_num_queries(0):
        refused = Client().get(path)
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 7200
    assert "no-store" in refused["Cache-Control"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/v1/games", "/static/web/rensho.css"])
def test_what_has_limits_of_its_own_or_must_answer_is_exempt(few_pages: None, path: str) -> None:
    statuses(Client(), 5)
    assert Client().get(path).status_code in (200, 404, 503)


def test_guessed_sessions_are_refused_before_the_database_is_asked(
    few_pages: None, django_assert_num_queries: Any
) -> None:
    assert [Client(headers={"cookie": f"sessionid={n}"}).get("/fairness").status_code for n in range(2)] == [
        200
    ] * 2
    with django_assert_num_queries(0):
        assert Client(headers={"cookie": "sessionid=next"}).get("/").status_code == 429
    assert statuses(Client(), 1) == [200], "without one"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["get", "head", "post", "put", "delete", "options", "trace"])
def test_below_the_admin_every_address_answers_strangers_alike(method: str) -> None:
    paths = [
        "/admin/",
        "/admin/roster/",
        "/admin/roster/bot/",
        "/admin/roster/bot",
        "/admin/roster/bot/1/change/",
        "/admin/accounts/apitoken/add/",
        "/admin/nonsense/",
        "/admin/nonsense/thing/1/change/",
        "/admin/jsi18n/",
        "/admin/autocomplete/?app_label=roster&model_name=bot&field_name=owner",
        "/admin/r/1/1/",
        "/admin/password_change/",
        "/admin/%00",
    ]
    seen = set()
    for path in paths:
        client = Client(enforce_csrf_checks=True)
        if path.endswith("thing/1/change/"):
            client.force_login(factories.aya())
        response = getattr(client, method)(path)
        assert response["Location"].startswith("/sign-in?next=%2Fadmin%2F")
        kept = {
            name: value
            for name, value in response.items()
            if name not in ("Location", "Expires", "Vary", "X-Request-ID")
        }
        seen.add((response.status_code, response.content, tuple(sorted(kept.items()))))
    assert len(seen) == 1


def test_the_admin_lets_in_whom_it_always_did_and_comes_back_after_signing_in(client: Client) -> None:
    assert client.get("/admin/roster/bot/?q=a%20b")["Location"].endswith(
        "%2Fadmin%2Froster%2Fbot%2F%3Fq%3Da%2520b"
    )
    assert client.get("/admin/logout/")["Location"] == "/sign-in?next=%2Fadmin%2F"
    assert len(client.get(f"/admin/?q={'x' * 3000}")["Location"]) < 100
    client.force_login(factories.sota())
    assert client.get("/admin/roster/bot/").status_code == 200
    assert client.get("/admin/nonsense/").status_code == 404


def test_metrics_are_for_staff_unless_told_so(client: Client) -> None:
    for name in (None, "aya", "odo"):
        if name:
            client.force_login(getattr(factories, name)())
        refused = client.get("/metrics")
        assert refused.status_code == 403
        assert "RENSHO_METRICS" in refused.content.decode()
        assert "rensho_tables" not in refused.content.decode()
    client.force_login(factories.sota())
    assert client.get("/metrics").status_code == 200


def reading(client: Client, **how: Any) -> int:
    return client.get("/metrics", **how).status_code


def test_metrics_may_be_opened_by_token_network_or_to_all(client: Client, settings: Any) -> None:
    settings.METRICS_ACCESS = metrics_access_of({"RENSHO_METRICS": f"token:{SECRET}, 10.0.0.0/24"})
    assert reading(client) == 403
    assert reading(client, HTTP_AUTHORIZATION=f"Bearer {SECRET}") == 200
    assert reading(client, HTTP_AUTHORIZATION=f"Bearer {SECRET}x") == 403
    assert reading(client, HTTP_AUTHORIZATION="Bearer é") == 403
    assert reading(client, REMOTE_ADDR="10.0.0.7") == 200
    assert reading(client, REMOTE_ADDR="10.0.1.7") == 403
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)
    assert reading(client) == 200


def test_a_network_opens_nothing_to_those_behind_a_proxy_that_nobody_named(
    client: Client, settings: Any
) -> None:
    settings.METRICS_ACCESS = metrics_access_of({"RENSHO_METRICS": "127.0.0.1"})
    assert reading(client) == 200
    assert reading(client, HTTP_X_FORWARDED_FOR="203.0.113.5") == 403
    assert reading(client, HTTP_X_FORWARDED_FOR="127.0.0.1") == 403
    settings.TRUSTED_PROXIES = ("127.0.0.1/32",)
    assert reading(client, HTTP_X_FORWARDED_FOR="203.0.113.5") == 403
    assert reading(client) == 200


@pytest.mark.parametrize("word", ["token:short", "everybody", "10.0.0.1/8", "token:", "x" * 9000])
def test_nonsense_in_the_setting_is_refused_in_one_sentence_without_the_secret(word: str) -> None:
    with pytest.raises(SystemExit, match="RENSHO_METRICS") as refusal:
        metrics_access_of({"RENSHO_METRICS": f"public,{word}"})
    assert len(str(refusal.value)) <= 500
    assert "short" not in str(refusal.value)


def test_the_scheme_is_believed_from_proxies_alone(rf: Any, settings: Any) -> None:
    def is_secure(peer: str) -> bool:
        request = rf.get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_PROTO="https")
        ForwardedProtoMiddleware(lambda _: None).process_request(request)
        return bool(request.is_secure())

    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert [is_secure(peer) for peer in ("127.0.0.1", "::1", "", "10.0.0.7")] == [True, True, True, False]
    settings.TRUSTED_PROXIES = ("10.0.0.7/32",)
    assert [is_secure(peer) for peer in ("127.0.0.1", "", "10.0.0.7")] == [False, False, True]


def test_a_proxy_that_nobody_named_is_logged_once(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ForwardedProtoMiddleware, "has_warned", False)
    statuses(client, 3, HTTP_X_FORWARDED_FOR="203.0.113.5")
    assert [record for record in caplog.records if "RENSHO_TRUSTED_PROXIES" in record.getMessage()][1:] == []
    assert "RENSHO_TRUSTED_PROXIES" in caplog.text


def test_foreign_hosts_fill_no_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(5 * MAX_RECORDS):
        assert client.get("/fairness", HTTP_HOST=f"{number}.evil.example").status_code == 400
    hosts = [record for record in caplog.records if record.name == "django.security.DisallowedHost"]
    assert len(hosts) <= MAX_RECORDS
    assert [record for record in hosts if record.exc_info] == []


def test_faults_of_ours_are_logged_whole() -> None:
    flood = FloodFilter()
    record = logging.makeLogRecord(
        {"name": "django.request", "levelno": logging.ERROR, "exc_info": (1, 2, 3)}
    )
    assert all(flood.filter(record) for _ in range(5 * MAX_RECORDS))
    assert record.exc_info == (1, 2, 3)
