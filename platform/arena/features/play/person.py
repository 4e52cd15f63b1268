"""The person at a casual table: an account, or a guest identified by a key in the browser."""

from __future__ import annotations

from typing import NamedTuple

from arena.accounts.models import User
from arena.common.site_key import keyed_digests


class Person(NamedTuple):
    user: User | None
    guest_key: str
    address: str
    """``client_network`` of the request."""

    @property
    def guest(self) -> str:
        """Digest of a guest's key, as stored; empty for accounts and for guests without a key."""
        return next(iter(self.guests), "")

    @property
    def guests(self) -> list[str]:
        """All digests by which rows of the guest may be stored, as the site's secret key may have changed."""
        if self.user is not None or not self.guest_key:
            return []
        return keyed_digests(f"rensho-play|guest|{self.guest_key}")

    @property
    def quota_key(self) -> str:
        """Digest of the account or address whose quota is used. Addresses are not stored."""
        whose = f"user|{self.user.pk}" if self.user is not None else f"address|{self.address}"
        return keyed_digests(f"rensho-play|{whose}")[0]
