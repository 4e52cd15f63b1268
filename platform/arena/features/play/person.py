"""Who plays: an account, or a guest whom only the key in the browser tells from others."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from django.conf import settings

from arena.accounts.models import User


class Person(NamedTuple):
    """Somebody at a casual table."""

    user: User | None
    guest_key: str
    """Random, in a signed cookie that the page sets; empty if there is none yet."""
    address: str
    """``client_network`` of the request."""

    @property
    def guest(self) -> str:
        """What stands for a guest in the database; empty for an account and for who has no key."""
        return "" if self.user is not None or not self.guest_key else _digest(f"guest|{self.guest_key}")

    @property
    def payer(self) -> str:
        """Whose quota is used: a digest, as addresses are not kept."""
        whose = f"user|{self.user.pk}" if self.user is not None else f"address|{self.address}"
        return _digest(whose)


def _digest(text: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"rensho-play|{text}".encode(), hashlib.sha256).hexdigest()
