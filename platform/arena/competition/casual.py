"""Deals of casual tables: each table has its own secret, with a commitment before the first card."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from league.fairness import SECRET_BYTES, board_seed, commitment, field_digest


class CasualDeals(NamedTuple):
    secret: bytes
    public_id: str
    """Public id of the table that dealt these cards first."""
    bundles: tuple[str, ...]

    @property
    def commitment(self) -> str:
        """SHA-256 of the secret, to be shown before the first card."""
        return commitment(self.secret)

    @property
    def digest(self) -> str:
        """Digest of the bundles, computed like the field digest of a stage."""
        return field_digest(self.bundles)

    def seed(self, number: int) -> str:
        """Return the match seed of a board. Stage and round are 0, since there are none."""
        return board_seed(self.secret, self.public_id, self.digest, 0, 0, number)


def casual_deals(public_id: str, bundles: Iterable[str]) -> CasualDeals:
    return CasualDeals(secrets.token_bytes(SECRET_BYTES), public_id, tuple(sorted(bundles)))
