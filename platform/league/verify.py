"""Deriving a whole event again from what it published, and naming whatever disagrees.

Works on the plain values of an export and the bytes of its records alone, so that anybody can do it.
How a record is replayed is handed in: the rules are not league's business. A stage is derived in
``league.verify_stage``, a fixture with its tables in ``league.verify_fixture``.

``rensho-export/2`` says more than ``/1``: who plays which stage, who left, rulings and passes. What an
older export does not say was not possible when it was made.

Source: docs/contracts.md#fair-deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from league.errors import LeagueError
from league.fairness import commitment
from league.seeding import qualified, seeded
from league.standings import Row
from league.verify_fixture import Document, Event, Played, Replayer
from league.verify_stage import StageCheck, standing_values

__all__ = [
    "FORMAT",
    "FORMATS",
    "Document",
    "Played",
    "Replayer",
    "Row",
    "disagreements",
    "qualified",
    "record_hashes",
    "seeded",
    "standing_values",
]

FORMAT = "rensho-export/2"
"""What exports are written as."""
FORMATS = ("rensho-export/1", FORMAT)
"""What can be read."""


def record_hashes(document: Document) -> Iterator[str]:
    """The hashes of all records a document speaks of, each once, in its order."""
    seen: set[str] = set()
    for stage in document["stages"]:
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                for table in fixture["tables"]:
                    sha256 = table["record_sha256"]
                    if sha256 and sha256 not in seen:
                        seen.add(sha256)
                        yield sha256


def disagreements(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> list[str]:
    """Everything in an event that cannot be derived again, one sentence each; empty if all agrees.

    ``record_bytes`` gives a record by its hash (LookupError if there is none). A secret that is not
    revealed yet cannot be checked, and says so.
    """
    found: list[str] = []
    try:
        for sentence in _event(document, record_bytes, replayed):
            found.append(sentence)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        what = str(error) if isinstance(error, LeagueError) else f"{type(error).__name__}: {error}"
        found.append(f"the export cannot be read: {what}")
    return found


def _event(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> Iterator[str]:
    if document["format"] not in FORMATS:
        yield f"the export has the format {document['format']!r}, not {' or '.join(map(repr, FORMATS))}"
        return
    told: Any = document["tournament"]
    if told["secret"] is None:
        yield "the secret is not revealed yet, so the deals cannot be derived"
        return
    secret = bytes.fromhex(told["secret"])
    if commitment(secret) != told["commitment"]:
        yield "the secret is not the one that was committed to"
    entries = {entry["id"]: entry for entry in document["entries"]}
    if len(entries) != len(document["entries"]):
        yield "an entry is named twice"
    event = Event(told, secret, entries, record_bytes, replayed, is_first=document["format"] == FORMATS[0])
    before: StageCheck | None = None
    for stage in document["stages"]:
        before = StageCheck(event, stage, before)
        yield from before.check()
