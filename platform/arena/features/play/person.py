"""The person at a casual table: an account, or a guest identified by a key in the browser."""

from __future__ import annotations

import hashlib
import hmac
from typing import NamedTuple

from django.conf import settings

from arena.accounts.models import User


class Person(NamedTuple):
    user: User | None
    guest_key: str
    address: str
    """``client_network`` of the request."""

    @property
    def guest(self) -> str:
        """Digest of a guest's key, as stored; empty for accounts and for guests without a key."""
        return "" if self.user is not None or not self.guest_key else _digest(f"guest|{self.guest_key}")

    @property
    def quota_key(self) -> str:
        """Digest of the account or address whose quota is used. Addresses are not stored."""
        whose = f"user|{self.user.pk}" if self.user is not None else f"address|{self.address}"
        return _digest(whose)


def _digest(text: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"rensho-play|{text}".encode(), hashlib.sha256).hexdigest()
