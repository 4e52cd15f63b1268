"""The audit before a provisional event becomes final: everything is derived again from the records."""

from __future__ import annotations

from collections.abc import Callable

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.competition.models import Tournament
from arena.matches.replays import played_table
from arena.standings.export import export_document
from league.verify.export import disagreements


def _record(sha256: str) -> bytes:
    try:
        return blob_get(sha256)
    except NotFound as error:
        raise LookupError(str(error)) from error


def tournament_audit(tournament: Tournament, *, on_record: Callable[[], object] = lambda: None) -> list[str]:
    """Replay every record and run ``rensho verify``; return a sentence for each disagreement.

    ``on_record`` is called before each record is read.
    """

    def record(sha256: str) -> bytes:
        on_record()
        return _record(sha256)

    document = export_document(tournament, with_open_sets=True, with_secret=True)
    return disagreements(document, record, played_table)
