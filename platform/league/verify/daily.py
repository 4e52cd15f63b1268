"""Verification of a daily deal: its statement, its secret, and the record of a result.

Source: docs/fair-deals.md#daily-deals.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from league.fairness import board_seed, commitment, field_digest
from league.statements import canonical, statement_digest
from league.verify.statements import signature_disagreements, unknown_commitments
from league.verify.tables import Document, Replayer

FORMAT = "rensho-daily/1"


def daily_statement(document: Document) -> dict[str, Any]:
    """Return the statement of a day's deal. Raise ValueError if the document is of another kind."""
    text = document["statement"]["body"]
    body = json.loads(text)
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise ValueError(f"its statement is not of the format {FORMAT}")
    if canonical(body).decode() != text:
        raise ValueError("its statement is not in canonical form")
    return body


def daily_seed(body: Document, secret: str) -> str:
    """Return the match seed of the deal."""
    bundles = field_digest(bot["bundle"] for bot in body["bots"])
    return board_seed(bytes.fromhex(secret), body["id"], bundles, 0, 0, body["board"])


def daily_disagreement(
    document: Document,
    replayed: Replayer,
    commitments: Collection[str] = (),
    keys: Mapping[str, bytes] | None = None,
) -> str:
    """Return the first contradiction, or an empty text.

    ``document`` is a day of the API. ``commitments`` are published digests, ``keys`` public keys of the site
    by id. Raise LookupError, TypeError or ValueError if the document is incomplete.
    """
    return next(_disagreements(document, replayed, commitments, keys), "")


def _disagreements(
    document: Document,
    replayed: Replayer,
    commitments: Collection[str],
    keys: Mapping[str, bytes] | None,
) -> Iterator[str]:
    body, statement = daily_statement(document), document["statement"]
    if statement_digest(body) != statement["digest"]:
        yield "the digest does not belong to the statement"
    yield from unknown_commitments({body["commitment"], statement["digest"]}, commitments)
    if keys is not None:
        yield from signature_disagreements([{**statement, "kind": "daily"}], keys)
    for name in ("day", "preset", "seat", "commitment"):
        if canonical(document[name]) != canonical(body[name]):
            yield f"the {name} is not the one in the statement"
    if document["secret"] is None:
        return
    if commitment(bytes.fromhex(document["secret"])) != body["commitment"]:
        yield "the secret is not the one that was committed to"
    if document["record"] is not None:
        yield from _record_disagreements(document, body, replayed)


def _record_disagreements(document: Document, body: Document, replayed: Replayer) -> Iterator[str]:
    record = replayed(document["record"].encode())
    if canonical([record.preset, dict(record.ruleset)]) != canonical([body["preset"], body["ruleset"]]):
        yield "the record was played by other rules than the statement's"
    if record.kinds != {"deal"} or dict(record.seeds) != {
        body["board"]: daily_seed(body, document["secret"])
    }:
        yield "the cards of the record do not follow from the statement and the secret"
    bots = {bot["seat"]: bot["bundle"] for bot in body["bots"]}
    if {seat: record.bundles.get(seat) for seat in bots} != bots:
        yield "the record names other bots than the statement"
    # The best result may be without a record: accounts and browsers can have theirs deleted.
    results = [row["stones"] for row in document["results"]["people"] if row["people"]]
    if record.stones.get((body["board"], body["seat"])) not in results:
        yield "the result of the record is not among the results of the day"
