"""Who may sign up, where the site is, and how it sends mail, from the environment.

RENSHO_SIGN_UP    open, invitation or closed
RENSHO_ADDRESS    address of the site, as ``https://rensho.example.org``
RENSHO_EMAIL_URL  ``smtp://USER:PASSWORD@HOST:PORT`` (STARTTLS), ``smtps://...`` (TLS), ``smtp+plain://...``
RENSHO_EMAIL_FROM the sender's address
RENSHO_CONTACT    how to reach the operator: an address for mail, or of a page
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from arena.settings.hosts import LOCAL_HOSTS, origins_of

SIGN_UP = "RENSHO_SIGN_UP"
SIGN_UP_WAYS = ("open", "invitation", "closed")
ADDRESS = "RENSHO_ADDRESS"
CONTACT = "RENSHO_CONTACT"
EMAIL_URL = "RENSHO_EMAIL_URL"
EMAIL_FROM = "RENSHO_EMAIL_FROM"
PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
TIMEOUT_S = 20


def sign_up_of(environment: Mapping[str, str], hosts: Sequence[str]) -> str:
    """Who may sign up: ``open``, ``invitation`` or ``closed``.

    Without the setting everybody where the site is served to this machine alone, else the invited.

    Raises:
        SystemExit: it is none of the three.
    """
    way = environment.get(SIGN_UP, "").strip().lower()
    if not way:
        return "open" if set(hosts) <= set(LOCAL_HOSTS) else "invitation"
    if way not in SIGN_UP_WAYS:
        raise SystemExit(f"rensho: {SIGN_UP}={way!r} is none of {', '.join(SIGN_UP_WAYS)}.")
    return way


def site_address_of(environment: Mapping[str, str]) -> str:
    """The address of the site without a slash at its end: ``RENSHO_ADDRESS``, else the first of
    ``RENSHO_ORIGINS``; empty if neither is set, then it is what the browser asks for.

    Raises:
        SystemExit: it is no such address, or one of the origins is none.
    """
    first = next((origin for origin in origins_of(environment) if "*" not in origin), "")
    text = environment.get(ADDRESS, "").strip().rstrip("/") or first
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query):
        raise SystemExit(f"rensho: {ADDRESS}={text!r} is no address such as https://rensho.example.org.")
    return text


def contact_of(environment: Mapping[str, str]) -> str:
    """How to reach the operator: an address of a page, ``mailto:...``, or empty.

    Raises:
        SystemExit: it is neither.
    """
    text = environment.get(CONTACT, "").strip()
    if text and "@" in text and "/" not in text and " " not in text:
        return f"mailto:{text.removeprefix('mailto:')}"
    if text and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname):
        raise SystemExit(f"rensho: {CONTACT}={text[:80]!r} is neither an address for mail nor of a page.")
    return text


def mail_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """Django's settings for mail; ``EMAIL_FROM`` is empty where none can be sent.

    Raises:
        SystemExit: the address of the server cannot be read, or one of the two settings is missing.
    """
    text, sender = environment.get(EMAIL_URL, "").strip(), environment.get(EMAIL_FROM, "").strip()
    if not text and not sender:
        return {"EMAIL_FROM": "", "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    if not text or "@" not in sender:
        raise SystemExit(f"rensho: mail needs both {EMAIL_URL} and {EMAIL_FROM}, an address with @.")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in PORTS:
        # Without the value: it may have a password.
        raise SystemExit(
            f"rensho: {EMAIL_URL} is no address such as smtp://USER:PASSWORD@HOST:587; schemes: "
            f"{', '.join(PORTS)}."
        )
    return {
        "EMAIL_FROM": sender,
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": host,
        "EMAIL_PORT": port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": TIMEOUT_S,
    }
