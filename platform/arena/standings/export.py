"""Everything an event consists of, in one archive that ``rensho verify`` can check on its own."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from arena.common.blobs import blob_get
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.selectors import Viewer, is_staff
from arena.matches.models import BoardSet, Fixture, Table
from league.verify import FORMAT, record_hashes

README = """A tournament as it was played. tournament.json says what it consists of, records/ holds one
record a table, named by its SHA-256. Check it with: rensho verify FILE
"""


def export_document(tournament: Tournament, *, with_open_sets: bool, with_secret: bool) -> dict[str, Any]:
    """The event as plain values. A fixed number of queries, whatever its size.

    ``with_open_sets`` also gives what is still sealed, ``with_secret`` the secret before its time:
    for the audit and staff alone.
    """
    is_revealed = tournament.revealed_at is not None
    entries = list(
        tournament.entries.select_related("player", "version__bot", "partner_version__bot").order_by("id")
    )
    return {
        "format": FORMAT,
        "tournament": {
            "id": tournament.public_id,
            "name": tournament.name,
            "state": tournament.state,
            "game": tournament.game,
            "preset": tournament.preset,
            "ruleset": tournament.ruleset,
            "rules_version": tournament.rules_version,
            "board_kind": tournament.board_kind,
            "boards_per_round": tournament.boards_per_round,
            "clock": tournament.clock,
            "fault_policy": tournament.fault_policy,
            "scoring": tournament.scoring,
            "tie_breaks": tournament.tie_breaks,
            "commitment": tournament.commitment,
            "secret": bytes(tournament.secret).hex() if is_revealed or with_secret else None,
        },
        "entries": [_entry(entry) for entry in entries],
        "stages": [_stage(stage, with_open_sets) for stage in tournament.stages.order_by("number")],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.public_id,
        "player": entry.player.handle,
        "status": entry.status,
        "seed": entry.seed,
        "versions": [
            {"bot": version.bot.name, "number": version.number, "bundle_sha256": version.bundle_sha256}
            for version in entry.versions()
        ],
    }


def _stage(stage: Stage, with_open_sets: bool) -> dict[str, Any]:
    sets = (
        BoardSet.objects.filter(round__stage=stage)
        .select_related("round")
        .prefetch_related(
            "fixtures__sides__entry",
            "fixtures__scores__entry",
            "fixtures__tables__seats__entry",
            "fixtures__tables__seats__version",
            "fixtures__tables__results",
        )
        .order_by("round__number")
    )
    return {
        "number": stage.number,
        "format": stage.format,
        "options": stage.options,
        "field_digest": stage.field_digest,
        "rounds": [_round(board_set) for board_set in sets if with_open_sets or not board_set.is_sealed],
        "standings": [
            {
                "entry": row.entry.public_id,
                "rank": row.rank,
                "values": row.values,
                "decided_by": row.decided_by,
            }
            for row in stage.standings.select_related("entry").order_by("rank")
        ],
    }


def _round(board_set: BoardSet) -> dict[str, Any]:
    return {
        "number": board_set.round.number,
        "board_set": board_set.public_id,
        "closed_seq": board_set.closed_seq,
        "boards": board_set.boards,
        "fixtures": [_fixture(fixture) for fixture in board_set.fixtures.all()],
    }


def _fixture(fixture: Fixture) -> dict[str, Any]:
    return {
        "id": fixture.public_id,
        "number": fixture.number,
        "state": fixture.state,
        "reason": fixture.reason,
        "sides": [side.entry.public_id for side in fixture.sides.all()],
        "scores": [
            {"board": score.board, "entry": score.entry.public_id, "value": str(score.value)}
            for score in fixture.scores.all()
        ],
        "tables": [_table(table) for table in fixture.tables.all()],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "id": table.public_id,
        "rotation": table.rotation,
        "first_board": table.first_board,
        "board_count": table.board_count,
        "state": table.state,
        "record_sha256": table.record_sha256,
        "seats": [
            {
                "seat": seat.seat,
                "entry": seat.entry.public_id,
                "bundle_sha256": seat.version.bundle_sha256,
                "verdict": seat.verdict,
                "forfeited": seat.forfeited,
            }
            for seat in table.seats.all()
        ],
        "results": [[result.board, result.seat, result.stones] for result in table.results.all()],
    }


def tournament_export(tournament: Tournament, user: Viewer) -> bytes:
    """A zip of what the viewer may have: closed board sets, their records, the secret once revealed."""
    document = export_document(tournament, with_open_sets=is_staff(user), with_secret=False)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [
            ("README.txt", README.encode()),
            ("tournament.json", json.dumps(document, indent=1, sort_keys=True).encode()),
            *((f"records/{sha256}.ndjson", blob_get(sha256)) for sha256 in record_hashes(document)),
        ]:
            # A fixed date: the same event gives the same archive.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def export_lines(tournament: Tournament, viewer: Viewer) -> Iterator[bytes]:
    """The export as NDJSON, streamed: one object a line with a ``type``, the same bytes each time.

    Constant memory and a fixed number of queries a round. Closed rounds alone, also for staff. Ends with
    ``{"lines": n, "type": "end"}``, n counting the lines before it: without it the export is torn.
    """
    raise NotImplementedError
