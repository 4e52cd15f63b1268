"""Deals of tables that belong to no event, from a secret of their own, committed to before the first card."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from league.fairness import SECRET_BYTES, board_seed, commitment, field_digest


class CasualDeals(NamedTuple):
    """What the deals of a table follow from."""

    secret: bytes
    public_id: str
    """Of the table that dealt these cards first."""
    bundles: tuple[str, ...]
    """SHA-256 of the bots' bundles at that table."""

    @property
    def commitment(self) -> str:
        """SHA-256 of the secret, to be shown before the first card."""
        return commitment(self.secret)

    @property
    def digest(self) -> str:
        """Of the bundles, as of an event's field."""
        return field_digest(self.bundles)

    def seed(self, number: int) -> str:
        """The match seed of a board. As there are no stages and rounds, both are 0."""
        return board_seed(self.secret, self.public_id, self.digest, 0, 0, number)


def casual_deals(public_id: str, bundles: Iterable[str]) -> CasualDeals:
    """New deals, from a secret drawn now."""
    return CasualDeals(secrets.token_bytes(SECRET_BYTES), public_id, tuple(sorted(bundles)))
