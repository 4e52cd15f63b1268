"""API answers for imports."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.event_options import SCORINGS
from arena.features.imports.models import ImportedEvent


class ImportRow(TypedDict):
    """A tournament of another site, verified here from its export. It counts towards nothing of this site."""

    id: str
    name: str
    origin: Annotated[str, "Address of its site, as stated at the import; may be empty."]
    origin_id: Annotated[str, "Id of the tournament on its site."]
    sha256: Annotated[str, "Hash of the archive as received."]
    size: Annotated[int, "Bytes of the archive."]
    verified_at: datetime.datetime | None


class ImportedEntryOut(TypedDict):
    """An entry of an imported tournament. It is no bot of this site."""

    id: str
    bots: Annotated[list[str], "Name and version of each bot; the name is missing if it was deleted."]
    players: list[str]


class ImportedStandingOut(TypedDict):
    """A row of the standings of a stage."""

    entry: Annotated[str, "Id of the entry on its site."]
    rank: int
    score: Annotated[str | None, "A fraction, in the scoring of the tournament."]


class ImportedStageOut(TypedDict):
    """A stage with its standings."""

    number: int
    format: str
    rounds: int
    standings: list[ImportedStandingOut]


class ImportedClaimOut(TypedDict):
    """A claim about the tournament, and its basis, as rensho verify prints it."""

    claim: str
    how: Annotated[str, ("proven", "bound", "trusted")]
    by: str


class ImportDetail(ImportRow):
    """A verified import with its standings and proof."""

    game: str
    preset: str
    state: Annotated[str, "State of the tournament on its site: final, archived or cancelled."]
    scoring: Annotated[str, tuple(SCORINGS.items())]
    commitment: str
    secret: str
    keys: Annotated[list[str], "Ids of the keys that were given and had signed every statement."]
    commitments: Annotated[list[str], "Digests that were given with the archive, and are in it."]
    tables: int
    records: Annotated[int, "Records that were replayed."]
    unverified: Annotated[int, "Tables whose records its site has lost."]
    opened_at: Annotated[str | None, "Time of its first statement."]
    ended_at: Annotated[str | None, "Time of its last statement."]
    entries: list[ImportedEntryOut]
    stages: list[ImportedStageOut]
    proof: list[ImportedClaimOut]


def import_row(event: ImportedEvent, _: Request) -> ImportRow:
    return build_shape(ImportRow, event)


def import_detail(event: ImportedEvent, request: Request) -> ImportDetail:
    """Answer for a verified import."""
    summary = event.summary
    ids = [entry["id"] for entry in summary["entries"]]
    return build_shape(
        ImportDetail,
        summary,
        **import_row(event, request),
        keys=list(event.keys),
        commitments=event.commitments,
        entries=[
            {
                "id": entry["id"],
                "bots": [f"{name} v{number}".strip() for name, number in entry["bots"]],
                "players": entry["players"],
            }
            for entry in summary["entries"]
        ],
        stages=[
            {
                **{name: stage[name] for name in ("number", "format", "rounds")},
                "standings": [
                    {"entry": ids[row["entry"]], "rank": row["rank"], "score": row["score"]}
                    for row in stage["standings"]
                ],
            }
            for stage in summary["stages"]
        ],
        proof=[{"claim": claim, "how": how, "by": by} for claim, how, by, *_ in summary["proof"]],
    )
