"""Responses: the proof that deals were fixed before play."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from django.urls import reverse

from arena.api.base.parts import Part
from arena.competition.commitments import commitment_of
from arena.competition.deals import board_seeds
from arena.competition.models import Statement, Tournament
from arena.competition.selectors import entries_of_stages, stages_of
from arena.competition.statements import statements_of
from arena.matches.fixture_selectors import board_sets_of
from arena.matches.models import BoardSet


class SeedsOut(TypedDict):
    """The random seeds of a board set."""

    stage: int
    round: int
    board_set: str
    seeds: Annotated[dict[str, str] | None, "Null while sealed."]


class FieldDigestOut(TypedDict):
    """The field digest of a stage."""

    stage: int
    field_digest: Annotated[str, "Empty until entry closes."]
    entries: Annotated[
        list[str], "Ids of the stage's entries, once fixed. Their bundles are in the statement `locked`."
    ]


class StatementOut(TypedDict):
    """A signed statement of the tournament."""

    kind: Annotated[str, Statement.Kind.values]
    published_at: datetime.datetime
    digest: Annotated[str, "SHA-256 of the body in its canonical form."]
    key: Annotated[str, "Id of the key that signed it, as in /.well-known/rensho-key."]
    signature: Annotated[str, "Ed25519, 128 hex digits."]
    body: Annotated[str, "Path of the body in its canonical form."]


class FairnessOut(Part):
    """Everything needed to verify that the deals were fixed before play."""

    tournament: str
    commitment: Annotated[str, "SHA-256 of the secret; empty before entry opens."]
    commitment_number: Annotated[
        int | None, "Number in the queue of commitments; null if it does not use the queue."
    ]
    secret: Annotated[str | None, "Hex; null until final or cancelled."]
    revealed_at: datetime.datetime | None
    statements: Annotated[list[StatementOut], "In chronological order."]
    field_digests: list[FieldDigestOut]
    board_sets: list[SeedsOut]


def fairness_out(tournament: Tournament) -> FairnessOut:
    """Return what is published about the deals. The same for everyone, including staff.

    The secret appears once ``revealed_at`` is set, the seeds of a board set once it is closed.
    """
    stages = stages_of(tournament)
    fields = entries_of_stages(stages)
    queued = commitment_of(tournament)
    return {
        "next_first": None,
        "tournament": tournament.public_id,
        "commitment": tournament.commitment,
        "commitment_number": None if queued is None else queued.number,
        "secret": bytes(tournament.secret).hex() if tournament.revealed_at else None,
        "revealed_at": tournament.revealed_at,
        "statements": [
            {
                "kind": statement.kind,
                "published_at": statement.published_at,
                "digest": statement.digest,
                "key": statement.key.name,
                "signature": statement.signature,
                "body": reverse("v1:statement", args=[tournament.public_id, statement.kind]),
            }
            for statement in statements_of(tournament)
        ],
        "field_digests": [
            {"stage": stage.number, "field_digest": stage.field_digest, "entries": fields.get(stage.pk, [])}
            for stage in stages
        ],
        "board_sets": [
            {
                "stage": board_set.round.stage.number,
                "round": board_set.round.number,
                "board_set": board_set.public_id,
                "seeds": published_seeds(board_set),
            }
            for board_set in board_sets_of(tournament)
        ],
    }


def published_seeds(board_set: BoardSet) -> dict[str, str] | None:
    """Return the random seed by board number of a closed set; None while it is open, for everyone."""
    if board_set.is_sealed:
        return None
    seeds = board_seeds(board_set.round, range(1, board_set.boards + 1))
    return {str(number): seed for number, seed in seeds.items()}
