"""Digests with the site's secret key, for values that must not be stored or cannot be guessed without it."""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings


def site_keys() -> list[str]:
    """Return the secret key, followed by earlier ones that are still accepted (``SECRET_KEY_FALLBACKS``)."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def keyed_digests(text: str) -> list[str]:
    """Return the HMAC-SHA-256 of a text in hex, with each of the site's keys; the first is for new rows."""
    return [hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest() for key in site_keys()]
