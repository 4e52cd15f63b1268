"""The browsers that are signed in to an account: record, list and end them."""

from __future__ import annotations

import datetime
import ipaddress
import re
from importlib import import_module

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from arena.accounts.models import BrowserSession, OneTimeLink, User, audit
from arena.common.errors import NotFound

LAST_SEEN_RESOLUTION_S = 300
"""Minimum seconds between two updates of a session's ``last_seen_at``."""
MAX_SESSIONS_LISTED = 50
LINK_RETENTION_DAYS = 90
"""Days that an expired link stays in the database, for staff to look up."""
BROWSERS = (
    ("Edge", r"\bEdgA?/"),
    ("Opera", r"\bOPR/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/"),
    ("Safari", r"\bSafari/"),
    ("curl", r"^curl/"),
)
SYSTEMS = (
    ("Android", r"\bAndroid\b"),
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Windows", r"\bWindows\b"),
    ("macOS", r"\bMacintosh\b|\bMac OS X\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Linux", r"\bLinux\b"),
)


def describe_device(user_agent: str) -> str:
    """Describe the browser and operating system of a User-Agent header: ``Firefox on Linux``."""
    agent = user_agent[:500]
    browser = next((name for name, pattern in BROWSERS if re.search(pattern, agent)), "")
    system = next((name for name, pattern in SYSTEMS if re.search(pattern, agent)), "")
    if not browser:
        return f"An unknown browser on {system}" if system else "An unknown browser"
    return f"{browser} on {system}" if system else browser


def mask_address(address: str) -> str:
    """Return an IP address without its last byte (IPv4), or after its /48 network (IPv6); else "".

    >>> mask_address("203.0.113.77"), mask_address("2001:db8:1:2::9"), mask_address("unknown")
    ('203.0.113.…', '2001:db8:1:…', '')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv4Address):
        return address.rpartition(".")[0] + ".…"
    network = ipaddress.ip_network((int(parsed), 48), strict=False).network_address
    return str(network).removesuffix("::") + ":…"


def session_touch(user: User, session_key: str, user_agent: str, address: str) -> None:
    """Record that an account used this session just now. Two queries."""
    values = {
        "device": describe_device(user_agent),
        "network": mask_address(address),
        "last_seen_at": timezone.now(),
    }
    if BrowserSession.objects.filter(session_key=session_key, user=user).update(**values):
        return
    # Concurrent requests of a new session may both insert the row.
    BrowserSession.objects.bulk_create(
        [BrowserSession(user=user, session_key=session_key, **values)], ignore_conflicts=True
    )


def sessions_of(user: User) -> list[BrowserSession]:
    """Return the valid sessions of an account, the most recently seen first. One query."""
    since = timezone.now() - datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    return list(user.browser_sessions.filter(last_seen_at__gte=since)[:MAX_SESSIONS_LISTED])


def session_end(user: User, public_id: str) -> BrowserSession:
    """End one session of an account, which signs its browser out. Raises NotFound (``session_not_found``)."""
    row = user.browser_sessions.filter(public_id=public_id).first() if public_id.isalnum() else None
    if row is None:
        raise NotFound("This session has ended already.", "session_not_found")
    with transaction.atomic():
        _session_delete(row)
        audit(user, "end", row)
    return row


def sessions_end(user: User, *, but: str | None = None, actor: User | None = None) -> int:
    """End all sessions of an account except the one with key ``but``; return how many. ``actor``: staff."""
    rows = list(user.browser_sessions.exclude(session_key=but or ""))
    with transaction.atomic():
        for row in rows:
            _session_delete(row)
        audit(actor or user, "end_sessions", user, sessions=len(rows))
    return len(rows)


def sessions_prune() -> int:
    """Delete expired sessions, and links expired ``LINK_RETENTION_DAYS`` ago; return how many."""
    now = timezone.now()
    unseen = now - datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    old = now - datetime.timedelta(days=LINK_RETENTION_DAYS)
    return (
        BrowserSession.objects.filter(last_seen_at__lt=unseen).delete()[0]
        + OneTimeLink.objects.filter(expires_at__lt=old).delete()[0]
        + Session.objects.filter(expire_date__lt=now).delete()[0]
    )


def session_unlist(session_key: str | None) -> None:
    """Remove a session that its own browser ended from the list."""
    if session_key:
        BrowserSession.objects.filter(session_key=session_key).delete()


def _session_delete(row: BrowserSession) -> None:
    engine = import_module(settings.SESSION_ENGINE)
    engine.SessionStore(row.session_key).delete()
    row.delete()
