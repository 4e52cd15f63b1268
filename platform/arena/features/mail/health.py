"""Health checks: the stored state of the mail server and the outbox, and a test of the connection."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from arena.common.features import HealthResult
from arena.features.mail.models import OutgoingMail
from arena.features.mail.server import server_state, server_test
from arena.features.mail.smtp import CAUSES, OTHER_REMEDY, REMEDIES

PART = "mail"
ADDRESS_REMEDY = "Set RENSHO_ADDRESS to the site's URL, which links in notices begin with."


def stored_health(_: bool) -> Iterator[HealthResult]:
    """Report what the last attempts found. Two queries; contacts no other machine."""
    if not settings.EMAIL_FROM:
        return
    if not settings.SITE_ADDRESS:
        yield HealthResult(PART, False, "no notices by e-mail: the site's URL is not set", ADDRESS_REMEDY)
    waiting = OutgoingMail.objects.filter(state=OutgoingMail.State.WAITING)
    oldest = waiting.aggregate(first=Min("created_at"))["first"]
    number = waiting.count()
    minutes = int((timezone.now() - oldest).total_seconds() // 60) if oldest else 0
    queue = f"{number} mails wait" + (f", the oldest for {minutes} min" if oldest else "")
    state = server_state()
    if not state.failures:
        yield HealthResult(PART, True, queue)
        return
    why = CAUSES.get(state.cause, state.cause) + (f" ({state.detail})" if state.detail else "")
    since = f"{state.failing_since:%Y-%m-%d %H:%M} UTC" if state.failing_since else ""
    yield HealthResult(
        PART,
        False,
        f"the mail server {_server()} fails since {since}: {why}; {queue}",
        REMEDIES.get(state.cause, OTHER_REMEDY),
    )


def connection_health() -> Iterator[HealthResult]:
    """Test the connection now, without sending anything."""
    if not settings.EMAIL_FROM:
        return
    error = server_test()
    if error is None:
        yield HealthResult(PART, True, f"{_server()} accepts {settings.EMAIL_FROM} as the sender")
    else:
        yield HealthResult(PART, False, f"the mail server {_server()} failed: {error}", error.remedy)


def _server() -> str:
    return f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
