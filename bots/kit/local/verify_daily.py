"""Verification of the deal of a day, from a file or from the address of its page."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bots.kit.client import Client, server_url
from bots.kit.errors import InvalidInput
from engine.game import Board
from engine.games import preset_named
from engine.played import played_table
from engine.refusals import clipped, quoted
from league.proof import BOUND_BY, PROVEN, TRUSTED, Claim
from league.verify.daily import daily_disagreement, daily_seed, daily_statement

MAX_DAY_BYTES = 16 << 20
MAX_ERROR_CHARS = 200
_ADDRESS = re.compile(r"(?P<site>https?://.+?)(?:/api/v1)?/daily/(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})/?")


class DailyVerification(NamedTuple):
    day: str
    disagreement: str
    """The first contradiction; empty if there is none."""
    is_closed: bool
    """False before the secret is published; only the statement can be verified then."""
    hands: dict[int, list[str]]
    """Dealt cards by seat; empty unless the day is closed and nothing disagrees."""
    proof: list[Claim]


def is_address(text: str) -> bool:
    return re.match("https?:", text) is not None


def is_daily(path: Path) -> bool:
    """Return whether a file is a JSON object with a statement; False for an unreadable file."""
    try:
        if path.stat().st_size > MAX_DAY_BYTES:
            return False
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "statement" in document


def daily_verify(
    source: str, commitments: Collection[str] = (), keys: Mapping[str, bytes] | None = None
) -> DailyVerification:
    """Verify the deal of a day. ``source`` is a file, or the address of a day's page.

    Raise ``InvalidInput`` for other files and addresses, ``Refused`` or ``ServerUnavailable`` without data.
    """
    document = _fetched(source) if is_address(source) else json.loads(Path(source).read_bytes())
    try:
        disagreement = daily_disagreement(document, played_table, commitments, keys)
        body, secret = daily_statement(document), document["secret"]
        has_ended = secret is not None and not disagreement
        hands = _hands(body, daily_seed(body, secret)) if has_ended else {}
        proof = [] if disagreement else _claims(document, body, commitments, is_signed=keys is not None)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        reason = clipped(str(error), MAX_ERROR_CHARS)
        raise InvalidInput(
            f"{source} is not the deal of a day ({reason}); download it again: rensho api GET daily/DAY "
            "--output FILE."
        ) from None
    return DailyVerification(str(body["day"]), clipped(disagreement), secret is not None, hands, proof)


def _fetched(address: str) -> Any:
    match = _ADDRESS.fullmatch(address.strip())
    if match is None:
        raise InvalidInput(
            f"{quoted(address)} is not the address of a day: write one such as "
            "https://rensho.example/daily/2026-11-30"
        )
    with Client(server_url(match["site"])) as client:
        return client.get(f"daily/{match['day']}")


def _hands(body: Mapping[str, Any], seed: str) -> dict[int, list[str]]:
    """Return the cards of each seat before the first action."""
    game, _ = preset_named(body["preset"])
    ruleset = game.ruleset(body["preset"], body["ruleset"])
    state = game.start(ruleset, Board("deal", body["board"], seed))
    return {seat: list(state.observe(seat)["hand"]) for seat in range(1, game.seats(ruleset) + 1)}


def _claims(
    document: Mapping[str, Any], body: Mapping[str, Any], commitments: Collection[str], *, is_signed: bool
) -> list[Claim]:
    proof = []
    if document["secret"] is not None:
        proof.append(Claim("all cards", PROVEN, "derived from the statement and the secret"))
    if document["record"] is not None:
        proof.append(Claim("plays and stones of the record", PROVEN, "replayed by the rules"))
    bound_by = ["the digest that you gave"] if commitments else []
    bound_by += ["the signature of a key that you gave"] if is_signed else []
    proof.append(
        Claim("rules, bots and secret of the day", BOUND_BY, " and ".join(bound_by))
        if bound_by
        else Claim("rules, bots and secret of the day", TRUSTED, "use --commitment or --key")
    )
    begins = datetime.datetime.fromisoformat(f"{body['day']}T00:00:00+00:00")
    is_early = datetime.datetime.fromisoformat(body["published_at"]) < begins
    when = "its time is before the day" if is_early else "its time is after the day had begun"
    return [*proof, Claim("that it was published before the day", TRUSTED, when)]
