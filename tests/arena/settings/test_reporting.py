"""Settings of traces and error reports: off by default; a wrong one is a sentence without the secret."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

from arena.settings.reporting import SENTRY_DSN, TRACES_ENDPOINT, sentry_dsn_of, traces_endpoint_of
from tests.refusals import refusal

DSN = "https://hiddenkey@sentry.example.org/1"


def test_both_are_off_by_default() -> None:
    for environment in ({}, {SENTRY_DSN: " ", TRACES_ENDPOINT: ""}):
        assert sentry_dsn_of(environment) == traces_endpoint_of(environment) == ""
    assert traces_endpoint_of({TRACES_ENDPOINT: "http://localhost:4318", "OTEL_SDK_DISABLED": "true"}) == ""


def test_valid_ones_are_accepted() -> None:
    assert sentry_dsn_of({SENTRY_DSN: f" {DSN} "}) == DSN
    assert traces_endpoint_of({TRACES_ENDPOINT: "http://localhost:4318"}) == "http://localhost:4318"


@pytest.mark.parametrize(
    "text",
    ["hiddenkey", "https://sentry.example.org/1", DSN[:-1], "ftp://hiddenkey@host/1", "https://[hiddenkey/1"],
)
def test_a_dsn_that_is_none_is_refused_and_not_shown(text: str) -> None:
    message = str(refusal(SystemExit, sentry_dsn_of, {SENTRY_DSN: text}))
    assert message.startswith(f"rensho: {SENTRY_DSN}")
    assert "hiddenkey" not in message


@pytest.mark.parametrize("text", ["localhost:4318", "grpc://localhost:4317", "http://", "http://a:x"])
def test_an_endpoint_that_is_no_url_is_refused(text: str) -> None:
    message = str(refusal(SystemExit, traces_endpoint_of, {TRACES_ENDPOINT: text}))
    assert message.startswith(f"rensho: {TRACES_ENDPOINT}")


def test_without_its_package_a_setting_is_refused_with_the_name_of_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> Any:
        if "." in name:
            raise ModuleNotFoundError(name)
        return None

    monkeypatch.setattr(importlib.util, "find_spec", absent)
    for read, setting, extra in (
        (sentry_dsn_of, {SENTRY_DSN: DSN}, "rensho[sentry]"),
        (traces_endpoint_of, {TRACES_ENDPOINT: "http://localhost:4318"}, "rensho[otel]"),
    ):
        message = str(refusal(SystemExit, read, setting))
        assert extra in message
        assert "hiddenkey" not in message


def test_while_they_are_off_their_packages_are_not_loaded() -> None:
    code = (
        "import sys, django; django.setup(); import arena.asgi; import arena.jobs.worker\n"
        "print([name for name in sys.modules if name.startswith(('sentry_sdk', 'structlog', "
        "'opentelemetry.exporter', 'opentelemetry.sdk.trace'))])"
    )
    env = {
        "DJANGO_SETTINGS_MODULE": "arena.settings.test",
        "PYTHONPATH": ".:platform",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
