"""Statements of an event, published in the transaction of the change and signed with the site's key.

Source: docs/fair-deals.md#statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from arena.common.errors import NotFound
from arena.competition.export_data import entries_data, stage_plan, tournament_data
from arena.competition.keys import digest_sign
from arena.competition.labels import labels_bind, labels_of
from arena.competition.models import Stage, Statement, Tournament
from league.statements import FORMAT, NOT_IN_SETTINGS, canonical, hash_labels, statement_digest

Kind = Statement.Kind


def statements_of(tournament: Tournament) -> QuerySet[Statement]:
    """Return the statements of an event in order, with keys and deferred bodies. One query."""
    rows: QuerySet[Statement] = Statement.objects.filter(tournament=tournament)
    return rows.select_related("key").defer("body", "key__private").order_by("number")


def statement_get(tournament: Tournament, kind: str) -> Statement:
    """Return a statement of an event with its body. Raises NotFound ``statement_not_found``."""
    statement: Statement | None = Statement.objects.filter(tournament=tournament, kind=kind).first()
    if statement is None:
        raise NotFound(
            f"{tournament.name} has published no statement {kind!r}; fairness lists those published.",
            "statement_not_found",
        )
    return statement


def registered_statement_publish(tournament: Tournament) -> Statement:
    """Publish settings and plan as entry opens; they cannot change afterwards."""
    labels_bind(tournament, with_entries=False)
    line = tournament_data(tournament, labels_of(tournament))
    return statement_publish(
        tournament,
        Kind.OPENED,
        {
            "settings": {key: value for key, value in line.items() if key not in NOT_IN_SETTINGS},
            "stages": [stage_plan(stage) for stage in tournament.stages.order_by("number")],
        },
    )


def locked_statement_publish(tournament: Tournament, first: Stage) -> Statement:
    """Publish the entries of the first stage and the field digest, from which its deals are derived."""
    labels_bind(tournament)
    playing = set(first.stage_entries.values_list("entry__public_id", flat=True))
    entries = entries_data(tournament, labels_of(tournament))
    bound = ("id", "player", "partner", "seed", "versions", "own")
    return statement_publish(
        tournament,
        Kind.LOCKED,
        {
            "entries": [{key: entry[key] for key in bound} for entry in entries if entry["id"] in playing],
            "field_digest": first.field_digest,
        },
    )


def statement_publish(tournament: Tournament, kind: str, content: Mapping[str, Any]) -> Statement:
    """Publish a statement inside the transaction of the change, which locks the tournament."""
    before = Statement.objects.filter(tournament=tournament).order_by("number").last()
    published_at = timezone.now()
    body = {
        "format": FORMAT,
        "kind": str(kind),
        "published_at": published_at.isoformat(),
        "previous": before.digest if before else None,
        "tournament": tournament.public_id,
        **hash_labels(content),
    }
    digest = statement_digest(body)
    signature = digest_sign(digest)
    statement: Statement = Statement.objects.create(
        tournament=tournament,
        number=before.number + 1 if before else 1,
        kind=kind,
        body=canonical(body).decode(),
        digest=digest,
        key=signature.key,
        signature=signature.hex,
        published_at=published_at,
    )
    return statement
