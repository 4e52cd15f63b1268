"""What the doctor says of the web server's neighbours: the proxy in front, and who may read the metrics."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from arena.jobs.finding import Finding


def look_at_proxies(part: str) -> Iterator[Finding]:
    """Whether the proxy that speaks https is named, so that visitors can be told apart."""
    proxies = settings.TRUSTED_PROXIES
    if proxies:
        yield Finding(part, True, f"trusted: {', '.join(proxies)}")
    elif settings.SECURE_PROXY_SSL_HEADER:
        remedy = (
            "Set RENSHO_TRUSTED_PROXIES to the addresses of the proxy as the site sees them: 127.0.0.1,::1"
        )
        yield Finding(
            part, False, "RENSHO_HTTPS=1, but no proxy is named: all visitors count as one address", remedy
        )
    else:
        yield Finding(part, True, "none is named: X-Forwarded-For counts from nobody")


def look_at_metrics(part: str) -> Iterator[Finding]:
    """Who may read /metrics."""
    access = settings.METRICS_ACCESS
    if access.is_public:
        yield Finding(part, True, "anybody may read /metrics (RENSHO_METRICS=public)")
        return
    readers = ["staff", *access.networks, *(["holders of a token"] if access.tokens else [])]
    remedy = "" if len(readers) > 1 else "RENSHO_METRICS lets a scraper in: public, networks or token:SECRET."
    yield Finding(part, True, f"/metrics is for {', '.join(readers)}", remedy)
