"""Responses: commitments of the published queue."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.models import Commitment


class CommitmentOut(TypedDict):
    """A commitment: the hash of a secret, published under a number before it was known which tournament
    would use it.
    """

    number: int
    state: Annotated[str, Commitment.State]
    digest: str
    posted_at: datetime.datetime
    key: Annotated[str, "Id of the site's key that signed it."]
    signature: str
    taken_at: datetime.datetime | None
    posted_ahead: Annotated[
        bool | None,
        "false: the queue was empty, so it was published when it was used; null while it is free.",
    ]
    tournament: Annotated[str | None, "The tournament that uses it, if you may see it."]
    revealed_at: datetime.datetime | None
    secret: Annotated[str | None, "Hex; null until it is revealed."]
    reason: str


def commitment_out(row: Commitment, _: Request) -> CommitmentOut:
    """Return a commitment of ``commitments_listed``."""
    return build_shape(
        CommitmentOut,
        row,
        key=row.key.name,
        tournament=row.taker,  # type: ignore[attr-defined]
        secret=bytes(row.secret).hex() if row.revealed_at is not None else None,
    )
