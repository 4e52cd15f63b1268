"""The browsers an account is signed in with: noted as they are seen, listed, ended."""

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
"""A session is noted as seen again after so long."""
MAX_SESSIONS_LISTED = 50
"""Sessions of an account that are listed, those last seen."""
LINK_RETENTION_DAYS = 90
"""So long after its end a link is there to be looked up by staff."""
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
    """Browser and system as a person says it.

    >>> device_words("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> device_words("<script>")
    'An unknown browser'
    """
    agent = user_agent[:500]
    browser = next((name for name, pattern in BROWSERS if re.search(pattern, agent)), "")
    system = next((name for name, pattern in SYSTEMS if re.search(pattern, agent)), "")
    if not browser:
        return f"An unknown browser on {system}" if system else "An unknown browser"
    return f"{browser} on {system}" if system else browser


def mask_address(address: str) -> str:
    """An address without the part that tells one household from the next; empty if it is none.

    >>> network_words("203.0.113.77"), network_words("2001:db8:1:2::9"), network_words("unknown")
    ('203.0.113.…', '2001:db8:1:…', '')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv4Address):
        return address.rpartition(".")[0] + ".…"
    network = ipaddress.ip_network((int(found), 48), strict=False).network_address
    return str(network).removesuffix("::") + ":…"


def session_touch(user: User, session_key: str, user_agent: str, address: str) -> None:
    """Note that an account was seen with this session just now. Two queries."""
    seen = {
        "device": describe_device(user_agent),
        "network": mask_address(address),
        "last_seen_at": timezone.now(),
    }
    if BrowserSession.objects.filter(session_key=session_key, user=user).update(**seen):
        return
    # Two requests of a new session come at once: the second one finds the row of the first.
    BrowserSession.objects.bulk_create(
        [BrowserSession(user=user, session_key=session_key, **seen)], ignore_conflicts=True
    )


def sessions_of(user: User) -> list[BrowserSession]:
    """The sessions of an account that can still be used, the one last seen first. One query."""
    since = timezone.now() - datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    return list(user.browser_sessions.filter(last_seen_at__gte=since)[:MAX_SESSIONS_LISTED])


def session_end(user: User, public_id: str) -> BrowserSession:
    """End one session of an account: its browser is signed out.

    Raises:
        NotFound: code ``session_unknown``: there is none, or it is somebody else's.
    """
    row = user.browser_sessions.filter(public_id=public_id).first() if public_id.isalnum() else None
    if row is None:
        raise NotFound("This session has ended already.", "session_unknown")
    with transaction.atomic():
        _session_delete(row)
        audit(user, "end", row)
    return row


def sessions_end(user: User, *, but: str | None = None, actor: User | None = None) -> int:
    """End all sessions of an account but that with this key; how many. ``actor``: staff, else its owner."""
    rows = list(user.browser_sessions.exclude(session_key=but or ""))
    with transaction.atomic():
        for row in rows:
            _session_delete(row)
        audit(actor or user, "end_sessions", user, sessions=len(rows))
    return len(rows)


def sessions_prune() -> int:
    """Take from the lists what cannot be used any more, and links that open nothing; how many rows."""
    now = timezone.now()
    unseen = now - datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    old = now - datetime.timedelta(days=LINK_RETENTION_DAYS)
    return (
        BrowserSession.objects.filter(last_seen_at__lt=unseen).delete()[0]
        + OneTimeLink.objects.filter(expires_at__lt=old).delete()[0]
        + Session.objects.filter(expire_date__lt=now).delete()[0]
    )


def session_unlist(session_key: str | None) -> None:
    """Take a session that its browser ended from the list."""
    if session_key:
        BrowserSession.objects.filter(session_key=session_key).delete()


def _session_delete(row: BrowserSession) -> None:
    engine = import_module(settings.SESSION_ENGINE)
    engine.SessionStore(row.session_key).delete()
    row.delete()
