"""Where the site is: for links that leave it, and for passkeys, which are bound to it."""

from __future__ import annotations

import base64
import ipaddress
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from arena.accounts.passkeys import Place, new_challenge
from arena.common.errors import Conflict, Invalid

CHALLENGE_KEY = "passkey_challenge"
"""In the session: what for, the challenge, and when it was given."""
CHALLENGE_S = 300
CHALLENGE_EXPIRED = "That took too long, or was sent twice. Try again."


def site_address(request: HttpRequest) -> str:
    """The address of the site, without a slash at its end: as set, else as the browser asks for it."""
    return settings.SITE_ADDRESS or f"{request.scheme}://{request.get_host()}"


def relying_party(request: HttpRequest) -> Place:
    """The site as browsers know it, for passkeys.

    Raises:
        Conflict: code ``passkeys_impossible``: here browsers make none.
    """
    if trouble := passkey_unavailable_reason(request):
        raise Conflict(trouble, "passkeys_impossible")
    address = site_address(request)
    return Place(urlsplit(address).hostname or "", address)


def passkey_unavailable_reason(request: HttpRequest) -> str:
    """Why browsers make no passkeys for this address, in a sentence; empty if they do."""
    parts, here = urlsplit(site_address(request)), f"{request.scheme}://{request.get_host()}"
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        is_number = False
    else:
        is_number = True
    if is_number:
        return "Passkeys need a name in the address, such as localhost, not a number."
    if parts.scheme != "https" and host != "localhost" and not host.endswith(".localhost"):
        return "Passkeys need an address with https."
    if here != site_address(request):
        return f"Passkeys are for {site_address(request)}: open the site at that address."
    return ""


def challenge_create(request: HttpRequest, purpose: str) -> bytes:
    """A challenge for this session and purpose, in place of an earlier one."""
    challenge = new_challenge()
    request.session[CHALLENGE_KEY] = [purpose, base64.b64encode(challenge).decode(), time.time()]
    return challenge


def challenge_consume(request: HttpRequest, purpose: str) -> bytes:
    """The challenge of this session, which it has no more: an answer is looked at once.

    Raises:
        Invalid: code ``challenge_stale``: there is none, or it is older than five minutes.
    """
    purpose_given, challenge, created_at = request.session.pop(CHALLENGE_KEY, None) or ("", "", 0)
    if purpose_given != purpose or time.time() - float(created_at) > CHALLENGE_S:
        raise Invalid(CHALLENGE_EXPIRED, "challenge_stale")
    # Before the answer is checked, so that a second request with it finds none.
    request.session.save()
    return base64.b64decode(challenge)
