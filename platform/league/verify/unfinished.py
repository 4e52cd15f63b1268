"""Verification of an event that is not over: everything that needs no secret.

Source: docs/fair-deals.md#a-tournament-that-is-not-over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from league.errors import RecordLost
from league.export_shape import shape_errors
from league.statements import canonical
from league.verify.export import Findings
from league.verify.statements import statement_disagreements
from league.verify.tables import Document, Replayer

RULES = ("game", "preset", "rules_version", "ruleset")


def unfinished_findings(
    document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer
) -> Findings:
    """Return every disagreement in an event that is not over, and every table that cannot be verified.

    Checks shape, statements, and each record. Parameters as in ``league.verify.export``.
    """
    disagreements = list(shape_errors(document))
    unverified: list[str] = []
    if disagreements:
        return Findings(disagreements, unverified)
    disagreements += statement_disagreements(document)
    disagreements += _records(document, record_bytes, replayed, unverified)
    return Findings(disagreements, unverified)


def _records(
    document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer, unverified: list[str]
) -> Iterator[str]:
    rules = canonical([document["tournament"][key] for key in RULES])
    for table in _tables(document):
        where, sha256 = f"table {table['id']}", table["record_sha256"]
        try:
            data = record_bytes(sha256)
            if hashlib.sha256(data).hexdigest() != sha256:
                raise ValueError("its record has another hash")
            record = replayed(data)
        except RecordLost:
            unverified.append(table["id"])
            continue
        except (LookupError, ValueError) as error:
            yield f"{where}: {error}"
            continue
        if canonical([record.game, record.preset, record.rules_version, dict(record.ruleset)]) != rules:
            yield f"{where}: it was played by other rules than the tournament's"
        if [[*board_and_seat, stones] for board_and_seat, stones in sorted(record.stones.items())] != table[
            "results"
        ]:
            yield f"{where}: its results are not those of its record"


def _tables(document: Document) -> Iterator[Document]:
    for stage in document["stages"]:
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                yield from (table for table in fixture["tables"] if table["record_sha256"])
