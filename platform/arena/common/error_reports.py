"""Reports of errors to Sentry: log records of level ERROR, with their traceback and the fields of the log.

A report contains neither request, headers, cookies, bodies nor local variables. Only known members are sent,
and every text passes ``scrubbed``. Traces are OpenTelemetry's (``arena.common.tracing``).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import sentry_sdk
from django.conf import settings
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.transport import Transport

from arena.common.log_context import log_fields
from arena.common.site_key import site_keys

MEMBERS = (
    *("event_id", "timestamp", "level", "logger", "platform", "exception", "logentry"),
    *("release", "environment", "server_name", "sdk"),
)
"""Members of an event that are sent."""
REQUEST_LOGGERS = ("django.request", "django.security", "arena.api.base.problems")
"""Loggers whose messages contain paths, of which some contain secrets."""
REMOVED = "[removed]"
MIN_SECRET_CHARACTERS = 6
"""Shorter values are not searched for: they would match ordinary words."""
_PRIVATE = re.compile(
    r"rensho_[A-Za-z0-9_-]{8,}"  # tokens
    r"|\b[0-9A-Fa-f]{32,}\b"  # seeds, keys and digests
    r"|[^\s@<>'\"]+@[^\s@<>'\"]+\.[A-Za-z]{2,}"  # mail addresses
    r"|(?<=://)[^\s/@]+@"  # credentials of URLs
)
_DETAIL = re.compile(r"\n?DETAIL:.*", re.DOTALL)
"""Values of a row, which PostgreSQL adds to an error."""


def error_reports_start(version: str, transport: Transport | None = None) -> None:
    """Report errors of this process from now on. The sender is a thread: call it after a fork."""
    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        transport=transport,
        release=f"rensho@{version}",
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            LoggingIntegration(level=None, event_level=logging.ERROR, sentry_logs_level=None),
            DedupeIntegration(),
            AtexitIntegration(callback=lambda pending, timeout: None),
        ],
        before_send=_prepared,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        propagate_traces=False,
        auto_session_tracking=False,
        send_client_reports=False,
        spotlight=False,
    )


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without these secrets, tokens, long hexadecimal numbers, mail addresses, and URLs'
    credentials.
    """
    for secret in secrets:
        text = text.replace(secret, REMOVED)
    return _PRIVATE.sub(REMOVED, _DETAIL.sub("", text))


def configured_secrets() -> list[str]:
    """Return the secrets of this installation that settings contain, the longest first."""
    database = settings.DATABASES["default"]
    values = [
        *site_keys(),
        database.get("PASSWORD"),
        settings.EMAIL_HOST_PASSWORD,
        settings.OIDC and settings.OIDC.client_secret,
        urlsplit(str(settings.REDIS_URL)).password,
        urlsplit(settings.SENTRY_DSN).username,
        *settings.METRICS_ACCESS.tokens,
    ]
    secrets = {str(value) for value in values if value and len(str(value)) >= MIN_SECRET_CHARACTERS}
    return sorted(secrets, key=len, reverse=True)


def _prepared(event: Any, hint: dict[str, Any]) -> Any:
    """Return what is sent of an event, or None."""
    record: logging.LogRecord | None = hint.get("log_record")
    if record is not None and record.name == "django.request" and not record.exc_info:
        return None  # the response to an error that was reported where it occurred
    sent = {name: value for name, value in event.items() if name in MEMBERS}
    sent["tags"] = dict(log_fields())
    if "logentry" in sent:
        entry = sent["logentry"]
        is_of_request = record is not None and record.name.startswith(REQUEST_LOGGERS)
        sent["logentry"] = {"message": entry["message"] if is_of_request else entry["formatted"]}
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    if match is not None:
        sent["transaction"] = f"/{match.route}"
    return _scrubbed_members(sent, configured_secrets())


def _scrubbed_members(value: Any, secrets: list[str]) -> Any:
    match value:
        case str():
            return scrubbed(value, secrets)
        case dict():
            return {
                name: inner if name == "event_id" else _scrubbed_members(inner, secrets)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [_scrubbed_members(inner, secrets) for inner in value]
    return value
