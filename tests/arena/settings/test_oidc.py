"""The OpenID Connect provider from the environment: complete or absent, and one line for a wrong value."""

from __future__ import annotations

import importlib.util

import pytest

from arena.settings.oidc import CLIENT_ID, CLIENT_SECRET, ISSUER, NAME, is_provider_url, oidc_settings_of
from tests.refusals import refusal

GIVEN = {ISSUER: "https://login.example.org", CLIENT_ID: "rensho", CLIENT_SECRET: "secret-word"}


def test_a_provider_and_none() -> None:
    assert oidc_settings_of({}) is None
    assert oidc_settings_of(dict.fromkeys([*GIVEN, NAME], " ")) is None
    assert oidc_settings_of(GIVEN) == (
        "https://login.example.org",
        "rensho",
        "secret-word",
        "login.example.org",
    )
    named = oidc_settings_of({**GIVEN, NAME: "Kita University"})
    assert named is not None
    assert named.name == "Kita University"


@pytest.mark.parametrize("missing", GIVEN)
def test_a_part_alone_is_refused(missing: str) -> None:
    text = str(refusal(SystemExit, oidc_settings_of, {**GIVEN, missing: ""}))
    assert text.startswith(f"rensho: {missing} ")
    assert "secret-word" not in text
    assert str(refusal(SystemExit, oidc_settings_of, {NAME: "Kita"})).startswith(f"rensho: {ISSUER} ")


@pytest.mark.parametrize(
    "issuer",
    [
        "login.example.org",
        "http://login.example.org",
        "https://",
        "https://user:word@login.example.org",
        "https://login.example.org/?a=1",
        "https://login.example.org/#a",
        "https://login.example.org:99999",
        "https://login .example.org",
        "ftp://login.example.org",
        "https://" + "x" * 300,
    ],
)
def test_a_wrong_issuer_is_one_line(issuer: str) -> None:
    text = str(refusal(SystemExit, oidc_settings_of, {**GIVEN, ISSUER: issuer}))
    assert text.startswith(f"rensho: {ISSUER}=")
    assert "\n" not in text


def test_only_this_machine_may_use_http() -> None:
    assert all(
        map(is_provider_url, ("http://127.0.0.1:3000", "http://[::1]:3000/a", "http://localhost:3000"))
    )
    assert not any(map(is_provider_url, ("http://10.0.0.1", "http://localhost.example.org", "http://[::1")))


def test_long_names_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert NAME in str(refusal(SystemExit, oidc_settings_of, {**GIVEN, NAME: "x" * 41}))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    text = str(refusal(SystemExit, oidc_settings_of, GIVEN))
    assert ISSUER in text
    assert "rensho[oidc]" in text
