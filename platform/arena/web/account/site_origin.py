"""The site's own address, for absolute links and for passkeys, which are bound to it."""

from __future__ import annotations

import base64
import ipaddress
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from arena.accounts.passkeys import RelyingParty, new_challenge
from arena.common.errors import Conflict, Invalid

CHALLENGE_KEY = "passkey_challenge"
"""Session key of the purpose, the challenge, and the time of its creation."""
CHALLENGE_S = 300
CHALLENGE_EXPIRED = "The request took too long or was submitted twice. Try again."


def site_address(request: HttpRequest) -> str:
    """Return the configured address of the site, else that in the request, without a trailing slash."""
    return settings.SITE_ADDRESS or f"{request.scheme}://{request.get_host()}"


def relying_party(request: HttpRequest) -> RelyingParty:
    """Return the WebAuthn relying party: host name and origin.

    Raises:
        Conflict: code ``passkeys_unavailable``: browsers create no passkeys for this address.
    """
    if trouble := passkey_unavailable_reason(request):
        raise Conflict(trouble, "passkeys_unavailable")
    address = site_address(request)
    return RelyingParty(urlsplit(address).hostname or "", address)


def passkey_unavailable_reason(request: HttpRequest) -> str:
    """Return a sentence why browsers create no passkeys for this address; empty if they do."""
    parts, here = urlsplit(site_address(request)), f"{request.scheme}://{request.get_host()}"
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        is_number = False
    else:
        is_number = True
    if is_number:
        return "Passkeys need a host name, such as localhost. They do not work with an IP address."
    if parts.scheme != "https" and host != "localhost" and not host.endswith(".localhost"):
        return "Passkeys need an https address."
    if here != site_address(request):
        return f"Passkeys work only at {site_address(request)}. Open the site at that address."
    return ""


def challenge_create(request: HttpRequest, purpose: str) -> bytes:
    """Store a new challenge for a purpose in the session, replacing any earlier one."""
    challenge = new_challenge()
    request.session[CHALLENGE_KEY] = [purpose, base64.b64encode(challenge).decode(), time.time()]
    return challenge


def challenge_consume(request: HttpRequest, purpose: str) -> bytes:
    """Remove the challenge from the session and return it; each challenge is valid for one response.

    Raises:
        Invalid: code ``challenge_stale``: there is none for this purpose, or it is older than five minutes.
    """
    purpose_given, challenge, created_at = request.session.pop(CHALLENGE_KEY, None) or ("", "", 0)
    if purpose_given != purpose or time.time() - float(created_at) > CHALLENGE_S:
        raise Invalid(CHALLENGE_EXPIRED, "challenge_stale")
    # Saved before the response is checked, so that a replayed response finds no challenge.
    request.session.save()
    return base64.b64decode(challenge)
