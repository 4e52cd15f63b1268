"""Sign-up policy, URL of the site, mail server and contact, from the environment.

RENSHO_SIGN_UP    open, invitation or closed
RENSHO_ADDRESS    URL of the site, such as ``https://rensho.example.org``
RENSHO_EMAIL_URL  ``smtp://USER:PASSWORD@HOST:PORT`` (STARTTLS), ``smtps://...`` (TLS), ``smtp+plain://...``
RENSHO_EMAIL_FROM address of the sender
RENSHO_CONTACT    contact of the operator: a mail address, or the URL of a page
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.utils import getaddresses
from typing import Any
from urllib.parse import unquote, urlsplit

from arena.settings.hosts import LOCAL_HOSTS, origins_of
from arena.settings.secret_files import secret_of

SIGN_UP = "RENSHO_SIGN_UP"
SIGN_UP_WAYS = ("open", "invitation", "closed")
ADDRESS = "RENSHO_ADDRESS"
CONTACT = "RENSHO_CONTACT"
EMAIL_URL = "RENSHO_EMAIL_URL"
EMAIL_FROM = "RENSHO_EMAIL_FROM"
PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
TIMEOUT_S = 10
"""Maximum seconds of a step of SMTP."""


def sign_up_of(environment: Mapping[str, str], hosts: Sequence[str]) -> str:
    """Return who may sign up: ``open``, ``invitation`` or ``closed``.

    The default is ``open`` for a site that only this machine can reach, otherwise ``invitation``. Raises
    SystemExit (another value).
    """
    way = environment.get(SIGN_UP, "").strip().lower()
    if not way:
        return "open" if set(hosts) <= set(LOCAL_HOSTS) else "invitation"
    if way not in SIGN_UP_WAYS:
        raise SystemExit(f"rensho: {SIGN_UP}={way!r} is not one of {', '.join(SIGN_UP_WAYS)}.")
    return way


def site_address_of(environment: Mapping[str, str]) -> str:
    """Return the URL of the site without a trailing slash: ``RENSHO_ADDRESS``, or the first of
    ``RENSHO_ORIGINS``.

    Empty if neither is set: the host of each request counts then. Raise ``SystemExit`` if the value is not
    such a URL, or an origin is malformed.
    """
    first = next((origin for origin in origins_of(environment) if "*" not in origin), "")
    text = environment.get(ADDRESS, "").strip().rstrip("/") or first
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query):
        raise SystemExit(f"rensho: {ADDRESS}={text!r} is not a URL such as https://rensho.example.org.")
    return text


def contact_of(environment: Mapping[str, str]) -> str:
    """Return the contact of the operator: the URL of a page, ``mailto:...``, or empty.

    Raises SystemExit (another value).
    """
    text = environment.get(CONTACT, "").strip()
    if text and "@" in text and "/" not in text and " " not in text:
        return f"mailto:{text.removeprefix('mailto:')}"
    if text and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname):
        raise SystemExit(
            f"rensho: {CONTACT}={text[:80]!r} is neither an e-mail address nor the URL of a page."
        )
    return text


def mail_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return Django's mail settings. ``EMAIL_FROM`` is empty if mail is not configured.

    Raise ``SystemExit`` if the server's URL is malformed, or one of the two variables is missing.
    """
    text, sender = secret_of(environment, EMAIL_URL), environment.get(EMAIL_FROM, "").strip()
    if not text and not sender:
        return {"EMAIL_FROM": "", "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    if not text or "@" not in sender:
        raise SystemExit(f"rensho: mail needs both {EMAIL_URL} and {EMAIL_FROM}, an address with @.")
    if not _is_sender(sender):
        raise SystemExit(
            f"rensho: {EMAIL_FROM}={sender[:80]!r} is not an address such as rensho@example.org, or Rensho "
            "<rensho@example.org>."
        )
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in PORTS:
        # Without the value: it may have a password.
        raise SystemExit(
            f"rensho: {EMAIL_URL} is not a URL such as smtp://USER:PASSWORD@HOST:587; schemes: "
            f"{', '.join(PORTS)}."
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password) or not (user + password).isascii():
        raise SystemExit(
            f"rensho: {EMAIL_URL} needs both a user name and a password, in ASCII, or neither; write special "
            "characters as %XX."
        )
    return {
        "EMAIL_FROM": sender,
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": host,
        "EMAIL_PORT": port or PORTS[parts.scheme],
        "EMAIL_HOST_USER": user,
        "EMAIL_HOST_PASSWORD": password,
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": TIMEOUT_S,
    }


def _is_sender(text: str) -> bool:
    """Return whether the text is one ASCII address, possibly with a name."""
    [(name, address), *further] = getaddresses([text])
    local, _, domain = address.rpartition("@")
    is_plain = text.isprintable() and address.isascii() and " " not in address
    return is_plain and not further and bool(local and domain) and (text == address or bool(name))
