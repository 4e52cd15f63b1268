"""Messages between referee and bot, ``rensho/1``: one JSON object per line (docs/bot-protocol.md).

Parsing is strict: for any bytes, the result is an answer or a ProtocolError that tells the author what to
change. Source: docs/contracts.md#wire-protocol.
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
"""Maximum depth of an answer; a normal answer has two levels."""

_DIGESTS_AT_A_TIME = 16
"""Digests computed in advance for request ids: in a batch, each takes a third of the time."""
_QUOTED_CHARACTERS = 80
_BLOCK_BYTES = 64


class Ready(NamedTuple):
    """A bot's answer to hello."""

    name: str
    events: bool
    """Whether the bot requests all events."""
    skip_forced: bool
    """Whether requests with a single legal action are skipped."""


class Answer(NamedTuple):
    """A bot's well-formed answer to a request; it may be illegal."""

    action: Action
    debug: str | None
    """At most ``DEBUG_BYTES`` in UTF-8; longer text is truncated."""
    policy: Mapping[Action, float] | None
    """Probability by action, as claimed by the bot."""


class Tokens:
    """Unguessable values of a table, from its key only: request ids, and the random seed of each bot.

    A second attempt has the same values, and they reveal nothing about the deal.
    """

    def __init__(self, key: str) -> None:
        """Store the key, given in hex. Raise ``ValueError`` if the key is not hex."""
        secret = bytes.fromhex(key)
        # HMAC from its two hashes, as each digest of the library sets both up again, for twice the time.
        block = (secret if len(secret) <= _BLOCK_BYTES else sha256(secret).digest()).ljust(
            _BLOCK_BYTES, b"\0"
        )
        self._inner, self._outer = (sha256(bytes(byte ^ pad for byte in block)) for pad in (0x36, 0x5C))

    def request_id(self, seat: Seat, count: int) -> str:
        """Return 16 hex digits for the seat's ``count``-th request."""
        # One digest is long enough for four ids.
        start = 16 * (count % 4)
        return self._digest(_id_text(seat, count // 4)).hex()[start : start + 16]

    def request_ids(self, seat: Seat) -> Iterator[str]:
        """Yield the ids of all the seat's requests, for a third of the time of ``request_id``."""
        start = 16
        for first in itertools.count(0, _DIGESTS_AT_A_TIME):
            blocks = range(first, first + _DIGESTS_AT_A_TIME)
            ids = b"".join([self._digest(_id_text(seat, block)) for block in blocks]).hex()
            for index in range(start, len(ids), 16):
                yield ids[index : index + 16]
            start = 0

    def _digest(self, text: bytes) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(text)
        outer.update(inner.digest())
        return outer.digest()

    def rng(self, seat: Seat) -> str:
        """Return 16 hex digits with which the seat's bot may seed its random numbers."""
        return self._digest(b"rensho-rng/1|%d" % seat)[:8].hex()


def _id_text(seat: Seat, block: int) -> bytes:
    """Return the text whose digest contains the ids of requests 4 * ``block`` to 4 * ``block`` + 3."""
    return b"rensho-id/1|%d|%d" % (seat, block)


def hello_line(game: Game, ruleset: Ruleset, seat: Seat, *, clock: Mapping[str, int], rng: str) -> bytes:
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
    """Return the request for one decision; ``observation`` is complete, a mapping or its JSON text."""
    if not isinstance(observation, str):
        observation = json_text(observation)
    # Ids, phases and actions need no escaping, and a referee writes thousands of these a second.
    actions = '","'.join(legal)
    return (
        f'{{"type":"request","id":"{request_id}","phase":"{phase}","legal":["{actions}"],'
        f'"observation":{observation},"clock":{{"bank_ms":{bank_ms},"increment_ms":{increment_ms}}}}}'
    ).encode("ascii")


def event_line(event: Mapping[str, Any]) -> bytes:
    return json_text({"type": "event", **event}).encode("ascii")


def parse_ready(line: bytes) -> Ready:
    """Parse a bot's answer to hello. Raise ``ProtocolError`` if the line is anything else."""
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
    """Parse the answer to request ``request_id``, or return the id if it answers one of ``stale``.

    Raise ``ProtocolError`` if the line is anything else.
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
    """Return the action of an answer without other fields in the SDK's encoding; empty for any other line.

    Recognising this usual form takes a third of the time of ``parse_answer``.
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
    """Parse a JSON object; duplicate names, NaN and deep nesting are rejected."""
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
        raise ProtocolError(
            f"the line is not a JSON object: {_quoted(message)}; answer with one object a line"
        )
    return message


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ProtocolError(f"field {_quoted(twice)} occurs twice in one object: send it once")
    return fields


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


def _refuse_field(name: str, value: object, expected: str) -> NoReturn:
    raise ProtocolError(f"field {name!r} is {_quoted(value)}: it must be {expected}")


def _quoted(value: object) -> str:
    text = json_text(value)
    return text if len(text) <= _QUOTED_CHARACTERS else text[:_QUOTED_CHARACTERS] + "..."
