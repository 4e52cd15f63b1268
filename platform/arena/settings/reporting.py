"""Sentry and OpenTelemetry, off by default. Each needs an extra: ``rensho[sentry]``, ``rensho[otel]``.

The exporter and SDK of OpenTelemetry read further standard variables, such as OTEL_EXPORTER_OTLP_HEADERS,
OTEL_SERVICE_NAME and OTEL_TRACES_SAMPLER.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from arena.settings.extras import require_extra
from arena.settings.secret_files import secret_of

SENTRY_DSN = "RENSHO_SENTRY_DSN"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_DISABLED = "OTEL_SDK_DISABLED"


def sentry_dsn_of(environment: Mapping[str, str]) -> str:
    """Return the DSN, or "" without one. Raise ``SystemExit``, without the DSN, if it cannot be used."""
    text = secret_of(environment, SENTRY_DSN)
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        is_valid = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname and parts.username)
            and parts.path.rpartition("/")[2].isdigit()
            and parts.port != 0
        )
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SystemExit(
            f"rensho: {SENTRY_DSN} is not a DSN. Copy it from the settings of the Sentry project: "
            "https://KEY@HOST/PROJECT."
        )
    require_extra("sentry_sdk", SENTRY_DSN, "sentry")
    return text


def traces_endpoint_of(environment: Mapping[str, str]) -> str:
    """Return the base URL of the OTLP receiver, or "" if traces are off. Raise ``SystemExit`` if invalid."""
    text = environment.get(TRACES_ENDPOINT, "").strip()
    if not text or environment.get(TRACES_DISABLED, "").strip().lower() == "true":
        return ""
    try:
        parts = urlsplit(text)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SystemExit(
            f"rensho: {TRACES_ENDPOINT} is not a URL such as http://127.0.0.1:4318, where an OTLP receiver "
            "accepts HTTP."
        )
    require_extra("opentelemetry.exporter.otlp.proto.http", TRACES_ENDPOINT, "otel")
    return text
