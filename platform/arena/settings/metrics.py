"""Access to ``/metrics`` besides staff, from ``RENSHO_METRICS``."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple

from arena.settings.secret_files import secret_of

VARIABLE = "RENSHO_METRICS"
PUBLIC = "public"
TOKEN_PREFIX = "token:"
MIN_TOKEN_CHARACTERS = 16
"""Minimum length of a token, so that it cannot be guessed."""


class MetricsAccess(NamedTuple):
    is_public: bool = False
    tokens: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()


def metrics_access_of(environment: Mapping[str, str]) -> MetricsAccess:
    """Return ``public``, networks and ``token:...``, comma separated, or raise SystemExit; default: staff."""
    tokens, networks, is_public = [], [], False
    for number, word in enumerate(secret_of(environment, VARIABLE).replace(",", " ").split(), 1):
        if word == PUBLIC:
            is_public = True
        elif word.startswith(TOKEN_PREFIX):
            token = word.removeprefix(TOKEN_PREFIX)
            if len(token) < MIN_TOKEN_CHARACTERS or not (token.isascii() and token.isprintable()):
                raise SystemExit(
                    f"rensho: {VARIABLE}: token {number} must have at least {MIN_TOKEN_CHARACTERS} "
                    "characters. Generate one: openssl rand -hex 24"
                )
            tokens.append(token)
        else:
            try:
                networks.append(str(ipaddress.ip_network(word)))
            except ValueError:
                raise SystemExit(
                    f"rensho: {VARIABLE}: {word[:40]!r} is neither {PUBLIC!r} nor a network nor "
                    f"'{TOKEN_PREFIX}' and a secret. Write for example "
                    f"{VARIABLE}=10.0.0.0/24,{TOKEN_PREFIX}SECRET, or leave it out to give access to staff "
                    "only."
                ) from None
    return MetricsAccess(is_public, tuple(tokens), tuple(networks))
