"""Pages of all origins may read public data; those that the operator names may send tokens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from rest_framework.test import APIClient

REPOSITORY = Path(__file__).resolve().parents[3]
NAMED, OTHER = "https://stats.example.org", "https://elsewhere.example.org"
MIDDLEWARE = "corsheaders.middleware.CorsMiddleware"
PRINTED = """
import json
from arena.settings import base
print(json.dumps([base.CORS_ALLOWED_ORIGINS, base.MIDDLEWARE[0], "corsheaders" in base.INSTALLED_APPS]))
"""


@pytest.fixture
def named(settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = [NAMED]
    settings.MIDDLEWARE = [MIDDLEWARE, *settings.MIDDLEWARE]


def preflight(origin: str) -> Any:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    return APIClient().options("/api/v1/bots", headers=asked)


def allowed(answer: Any) -> str | None:
    origin: str | None = answer.headers.get("Access-Control-Allow-Origin")
    return origin


@pytest.mark.django_db
def test_public_data_is_open_to_every_origin_without_credentials() -> None:
    assert MIDDLEWARE not in configured.MIDDLEWARE
    for address in ("/api/v1/games", "/api/v1/nowhere", "/.well-known/rensho-key"):
        answer = APIClient().get(address, headers={"Origin": OTHER})
        assert allowed(answer) == "*"
        assert "Access-Control-Allow-Credentials" not in answer
        assert "ETag" in answer["Access-Control-Expose-Headers"]
        varies = {name.strip() for name in answer.get("Vary", "").lower().split(",")}
        assert ({"authorization", "cookie"} <= varies) == (address != "/.well-known/rensho-key"), address
    assert allowed(APIClient().get("/healthz", headers={"Origin": OTHER})) is None


@pytest.mark.django_db
def test_with_a_token_or_a_cookie_no_other_origin_may_read() -> None:
    token = {"Origin": OTHER, "Authorization": "Bearer x"}
    assert allowed(APIClient().get("/api/v1/games", headers=token)) is None
    client = APIClient()
    client.cookies["sessionid"] = "x"
    assert allowed(client.get("/api/v1/games", headers={"Origin": OTHER})) is None
    client = APIClient()
    assert allowed(client.post("/api/v1/bots", {}, headers={"Origin": OTHER})) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "headers", "is_allowed"),
    [
        ("GET", "", True),
        ("HEAD", "If-None-Match, accept", True),
        ("GET", "authorization", False),
        ("GET", "x-other", False),
        ("POST", "", False),
        ("DELETE", "", False),
    ],
)
def test_a_preflight_allows_reading_only(method: str, headers: str, is_allowed: bool) -> None:
    asked = {"Origin": OTHER, "Access-Control-Request-Method": method}
    if headers:
        asked["Access-Control-Request-Headers"] = headers
    answer = APIClient().options("/api/v1/games", headers=asked)
    assert allowed(answer) == ("*" if is_allowed else None)
    assert "Access-Control-Allow-Credentials" not in answer
    assert allowed(APIClient().options("/healthz", headers=asked)) is None


@pytest.mark.django_db
def test_pages_of_a_named_origin_may_call_and_read_the_headers(named: None) -> None:
    before = preflight(NAMED)
    assert (before.status_code, allowed(before)) == (200, NAMED)
    assert {"authorization", "idempotency-key", "if-none-match"} <= set(
        before["Access-Control-Allow-Headers"].split(", ")
    )
    answer = APIClient().get("/api/v1/games", headers={"Origin": NAMED})
    exposed = answer["Access-Control-Expose-Headers"].split(", ")
    assert allowed(answer) == NAMED
    assert {"ETag", "Location", "RateLimit", "Retry-After"} <= set(exposed)
    assert "origin" in answer["Vary"].lower()
    assert "Access-Control-Allow-Credentials" not in answer
    missing = APIClient().get("/api/v1/nowhere", headers={"Origin": NAMED})
    assert (missing.status_code, allowed(missing)) == (404, NAMED), "a page may read why it was refused"


@pytest.mark.django_db
def test_other_origins_and_the_site_itself_stay_closed(named: None) -> None:
    assert allowed(preflight(OTHER)) is None
    token = {"Origin": OTHER, "Authorization": "Bearer x"}
    assert allowed(APIClient().get("/api/v1/games", headers=token)) is None
    assert allowed(APIClient().get("/healthz", headers={"Origin": NAMED})) is None


@pytest.mark.django_db
def test_the_key_of_the_site_is_open_like_the_api(named: None) -> None:
    address = "/.well-known/rensho-key"
    assert allowed(APIClient().get(address, headers={"Origin": NAMED})) == NAMED
    assert allowed(APIClient().get(address, headers={"Origin": OTHER})) == "*"


def test_the_setting_names_the_origins(tmp_path: Path) -> None:
    for text, expected in (("", [[], False]), (f" {NAMED} ,{OTHER}", [[NAMED, OTHER], True])):
        env = {
            **os.environ,
            "RENSHO_CORS_ORIGINS": text,
            "RENSHO_DATA": str(tmp_path),
            "PYTHONPATH": "platform",
        }
        run = [sys.executable, "-c", PRINTED]
        said = subprocess.run(run, env=env, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        origins, first, is_installed = json.loads(said)
        assert [origins, is_installed] == expected
        assert (first == MIDDLEWARE) == is_installed
