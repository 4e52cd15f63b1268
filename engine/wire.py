"""Messages between referee and bot, ``rensho/1``: one JSON object a line.

What the referee says is built here, what a bot answers is read here, strictly and without trust:
for any bytes, the reader returns an answer or raises a ProtocolError that tells the author what to change.
docs/bot-protocol.md describes every field.

Source: docs/contracts.md#wire-protocol.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

from engine.errors import ProtocolError
from engine.game import Action, Game, Observation, Ruleset, Seat, json_text, partner_of

PROTOCOL = 1
BYE = b'{"type":"bye"}'
NAME_CHARACTERS = 60
DEBUG_BYTES = 1024
POLICY_ENTRIES = 256
NESTING = 16
"""How deep an answer may nest; a normal one needs two levels."""

_DIGESTS_AT_A_TIME = 16
"""Of request ids, made in advance: in a row they cost a third of what they do between other work."""
_QUOTED_CHARACTERS = 80
_BLOCK_BYTES = 64
"""Of SHA-256."""


class Ready(NamedTuple):
    """A bot's answer to hello."""

    name: str
    events: bool
    """Whether it wants every event."""
    skip_forced: bool
    """Whether it does not want to be asked when only one action is legal."""


class Answer(NamedTuple):
    """A bot's answer to a request, well formed but not yet known to be legal."""

    action: Action
    debug: str | None
    """At most ``DEBUG_BYTES`` in UTF-8; the rest was truncated."""
    policy: Mapping[Action, float] | None
    """Probability by action, as the bot claims."""


class Tokens:
    """The unguessable values of a table: request ids and each bot's random seed.

    They depend only on the table's key, so a second attempt repeats them, and reveal nothing about the deal.
    """

    def __init__(self, key: str) -> None:
        """Take the key, in hex.

        Raises:
            ValueError: it is not hex.
        """
        secret = bytes.fromhex(key)
        # HMAC from its two hashes, as each digest of the library sets both up again, for twice the time.
        block = (secret if len(secret) <= _BLOCK_BYTES else sha256(secret).digest()).ljust(
            _BLOCK_BYTES, b"\0"
        )
        self._inner, self._outer = (sha256(bytes(byte ^ pad for byte in block)) for pad in (0x36, 0x5C))

    def request_id(self, seat: Seat, count: int) -> str:
        """16 hex digits for the seat's ``count``-th request."""
        # One digest is long enough for four ids.
        at = 16 * (count % 4)
        return self._digest(_id_text(seat, count // 4)).hex()[at : at + 16]

    def request_ids(self, seat: Seat) -> Iterator[str]:
        """Those of the seat's first request and all that follow it, for a third of the time each."""
        start = 16
        for first in itertools.count(0, _DIGESTS_AT_A_TIME):
            blocks = range(first, first + _DIGESTS_AT_A_TIME)
            ids = b"".join([self._digest(_id_text(seat, block)) for block in blocks]).hex()
            for at in range(start, len(ids), 16):
                yield ids[at : at + 16]
            start = 0

    def _digest(self, text: bytes) -> bytes:
        """HMAC-SHA-256 of this text by the key."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(text)
        outer.update(inner.digest())
        return outer.digest()

    def rng(self, seat: Seat) -> str:
        """16 hex digits from which the seat's bot may seed itself."""
        return self._digest(b"rensho-rng/1|%d" % seat)[:8].hex()


def _id_text(seat: Seat, block: int) -> bytes:
    """Of which the digest gives the ids of requests 4 * ``block`` to 4 * ``block`` + 3."""
    return b"rensho-id/1|%d|%d" % (seat, block)


def hello_line(game: Game, ruleset: Ruleset, seat: Seat, *, clock: Mapping[str, int], rng: str) -> bytes:
    """The first line a bot gets: game, seat, time limits."""
    return json_text(
        {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": game.key,
            "preset": ruleset.preset,
            "ruleset": ruleset.as_dict(),
            "seat": seat,
            "seats": game.seats(ruleset),
            "partner": partner_of(game.sides(ruleset), seat),
            "clock": clock,
            "rng": rng,
        }
    ).encode("ascii")


def request_line(
    request_id: str,
    phase: str,
    legal: Sequence[Action],
    observation: Observation | str,
    *,
    bank_ms: int,
    increment_ms: int,
) -> bytes:
    """The line that asks for one decision; the observation is complete, given as such or as text."""
    if not isinstance(observation, str):
        observation = json_text(observation)
    # Ids, phases and actions need no escaping, and a referee writes thousands of these a second.
    words = '","'.join(legal)
    return (
        f'{{"type":"request","id":"{request_id}","phase":"{phase}","legal":["{words}"],'
        f'"observation":{observation},"clock":{{"bank_ms":{bank_ms},"increment_ms":{increment_ms}}}}}'
    ).encode("ascii")


def event_line(event: Mapping[str, Any]) -> bytes:
    """The line for one event, for bots that asked for events."""
    return json_text({"type": "event", **event}).encode("ascii")


def parse_ready(line: bytes) -> Ready:
    """A bot's answer to hello.

    Raises:
        ProtocolError: anything else.
    """
    message = _parse_object(line)
    if message.get("type") != "ready":
        raise ProtocolError(
            f'the answer to hello has type {_quoted(message.get("type"))}: answer {{"type":"ready"}}'
        )
    name = message.get("name", "")
    if not isinstance(name, str):
        _refuse_field("name", name, "text")
    for field in ("events", "skip_forced"):
        if not isinstance(message.get(field, False), bool):
            _refuse_field(field, message[field], "true or false")
    return Ready(name[:NAME_CHARACTERS], message.get("events", False), message.get("skip_forced", False))


def parse_answer(line: bytes, request_id: str, stale: Container[str] = ()) -> Answer | str:
    """A bot's answer to the request of this id, or, if it answers a ``stale`` one, that one's id.

    Raises:
        ProtocolError: anything else.
    """
    plain = plain_action(line, request_id)
    if plain:
        return Answer(plain, None, None)
    message = _parse_object(line)
    answered = message.get("id")
    if answered != request_id:
        if isinstance(answered, str) and answered in stale:
            return answered
        if answered is None:
            raise ProtocolError("the answer has no 'id': repeat the id of the request")
        raise ProtocolError(
            f"the answer has id {_quoted(answered)}: repeat the id of the request, one line each"
        )
    action = message.get("action")
    if not isinstance(action, str):
        if "action" not in message:
            raise ProtocolError("the answer has no 'action': give one of the request's 'legal'")
        _refuse_field("action", action, "one of the request's 'legal'")
    debug = message.get("debug")
    if debug is not None:
        if not isinstance(debug, str):
            _refuse_field("debug", debug, "text")
        debug = debug.encode("utf-8", "replace")[:DEBUG_BYTES].decode("utf-8", "ignore")
    policy = message.get("policy")
    return Answer(action, debug, None if policy is None else _policy(policy))


def plain_action(line: bytes, request_id: str) -> str:
    """The action of an answer that is nothing else, spelt as the SDK spells it; empty for any other line,
    which ``parse_answer`` has to read.

    Most are, and reading them by eye takes a third of the time.
    """
    head, _, action = line[:-2].partition(b'","action":"')
    if head == b'{"id":"' + request_id.encode() and line.endswith(b'"}') and action.isalnum():
        return action.decode("ascii")
    return ""


def _policy(policy: object) -> Mapping[Action, float]:
    if not isinstance(policy, dict) or len(policy) > POLICY_ENTRIES:
        _refuse_field("policy", policy, f"an object of at most {POLICY_ENTRIES} actions with probabilities")
    for action, probability in policy.items():
        is_number = isinstance(probability, int | float) and not isinstance(probability, bool)
        if not is_number or not 0 <= probability <= 1:
            raise ProtocolError(
                f"the policy gives {_quoted(action)} {_quoted(probability)}: a probability is 0 to 1"
            )
    return policy


def _parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object a line holds; duplicate names, NaN and deep nesting are refused."""
    try:
        message = _decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ProtocolError(f"the line is not UTF-8 ({error.reason}): send ASCII or UTF-8") from None
    except RecursionError:
        raise _too_deep() from None
    except ProtocolError:
        raise
    except ValueError as error:
        raise ProtocolError(
            f"the line is not JSON ({error}): {_quoted(line.decode())}; write answers to standard output "
            "and everything else to standard error"
        ) from None
    if line.count(b"[") + line.count(b"{") > NESTING:
        _check_nesting(message)
    if not isinstance(message, dict):
        raise ProtocolError(f"the line is no JSON object: {_quoted(message)}; answer with one object a line")
    return message


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ProtocolError(f"field {_quoted(twice)} stands twice in one object: send it once")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ProtocolError(f"{name} is not JSON: send finite numbers")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ProtocolError(f"number {_quoted(text)} is too large: send finite numbers")
    return number


_decode = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite).decode


def _check_nesting(message: object) -> None:
    level: list[Any] = [message] if isinstance(message, dict | list) else []
    for _ in range(NESTING):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> ProtocolError:
    return ProtocolError(f"the line nests deeper than {NESTING} levels: send a flat object")


def _refuse_field(name: str, value: object, wanted: str) -> NoReturn:
    raise ProtocolError(f"field {name!r} is {_quoted(value)}: it must be {wanted}")


def _quoted(value: object) -> str:
    """The value as it would stand in JSON, shortened; safe to print."""
    text = json_text(value)
    return text if len(text) <= _QUOTED_CHARACTERS else text[:_QUOTED_CHARACTERS] + "..."
