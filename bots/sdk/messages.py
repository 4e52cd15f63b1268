"""What the referee says and what a bot answers, as read-only views over the decoded lines."""

from __future__ import annotations

from bots.sdk.errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random
    from typing import Any  # fields of decoded JSON have no narrower type


def seeded(text: str) -> Random:
    """A generator that depends on this text alone."""
    from random import Random

    return Random(text)


class Hello:
    """The first message: the game, the rules and the place at the table."""

    __slots__ = ("_message",)

    def __init__(self, message: Mapping[str, Any]) -> None:
        self._message = message

    @property
    def message(self) -> Mapping[str, Any]:
        """The decoded line, fields without an accessor included."""
        return self._message

    @property
    def protocol(self) -> int:
        """The number in ``rensho/1``."""
        return int(self._message["protocol"])

    @property
    def game(self) -> str:
        """The family: ``kakeya`` or ``kakkuri``."""
        return str(self._message["game"])

    @property
    def preset(self) -> str:
        """The name the rules started from: ``kakeya4``."""
        return str(self._message["preset"])

    @property
    def ruleset(self) -> Mapping[str, Any]:
        """Every option by name."""
        return dict(self._message["ruleset"])

    @property
    def seat(self) -> int:
        """This bot's seat, 1..``seats``, numbered anticlockwise."""
        return int(self._message["seat"])

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return int(self._message["seats"])

    @property
    def partner(self) -> int | None:
        """The other seat of the pair; None in a free-for-all."""
        partner = self._message.get("partner")
        return None if partner is None else int(partner)

    @property
    def clock(self) -> Mapping[str, Any]:
        """Time limits by name, in ms as each name says."""
        return dict(self._message["clock"])

    @property
    def rng(self) -> str:
        """16 hex digits of randomness for this seat at this table."""
        return str(self._message["rng"])


class Request:
    """One decision to take. Everything a bot may know is in ``observation``."""

    __slots__ = ("_legal", "_message", "_rng", "_ruleset")

    def __init__(self, message: Mapping[str, Any], ruleset: Mapping[str, Any] | None = None) -> None:
        """Read a decoded line.

        Args:
            message: the line.
            ruleset: the options hello told; the loop of ``Bot`` gives them.
        """
        self._message = message
        self._legal = tuple(message["legal"])
        self._ruleset: Mapping[str, Any] = {} if ruleset is None else ruleset
        self._rng: Random | None = None

    @property
    def message(self) -> Mapping[str, Any]:
        """The decoded line, fields without an accessor included."""
        return self._message

    @property
    def id(self) -> str:
        """16 hex digits that the answer repeats; unrelated to the cards."""
        return str(self._message["id"])

    @property
    def phase(self) -> str:
        """The kind of decision: in Kakeya ``trump``, ``lead``, ``play``; in Kakkuri ``turn`` and others."""
        return str(self._message["phase"])

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal actions in canonical order, never empty."""
        return self._legal

    @property
    def observation(self) -> Mapping[str, Any]:
        """All this seat may see; ``KakeyaView(request)`` and ``KakkuriView(request)`` read it."""
        observation: Mapping[str, Any] = self._message["observation"]
        return observation

    @property
    def ruleset(self) -> Mapping[str, Any]:
        """Every option of the rules by name, as hello told; empty if this bot has heard no hello.

        The views ask here where an option changes how an observation is to be read. An option that
        is missing counts as its default.
        """
        return self._ruleset

    @property
    def seat(self) -> int:
        """This bot's seat."""
        return int(self.observation["seat"])

    @property
    def bank_ms(self) -> float:
        """CPU time left in the bank, in ms; this decision's increment is not in it."""
        return float(self._message["clock"]["bank_ms"])

    @property
    def increment_ms(self) -> float:
        """CPU time every decision gets on top of the bank, in ms."""
        return float(self._message["clock"]["increment_ms"])

    @property
    def rng(self) -> Random:
        """A generator seeded by ``id`` alone: a bot that draws only here is a pure function of one line."""
        if self._rng is None:
            self._rng = seeded(self.id)
        return self._rng


class Answer:
    """An action with remarks: ``debug`` for the owner's log, ``policy`` for analysis. Both optional."""

    __slots__ = ("action", "debug", "policy")

    def __init__(
        self, action: str, *, debug: str | None = None, policy: Mapping[str, float] | None = None
    ) -> None:
        """Keep an action and remarks.

        Args:
            action: one of the request's ``legal``.
            debug: at most 1 KB of text; nobody but the bot's owner and staff reads it.
            policy: probability by action.
        """
        self.action = action
        self.debug = debug
        self.policy = policy

    def as_message(self, request_id: str) -> dict[str, Any]:
        """The message that answers the request of this id."""
        message: dict[str, Any] = {"id": request_id, "action": self.action}
        if self.debug is not None:
            message["debug"] = self.debug
        if self.policy is not None:
            message["policy"] = dict(self.policy)
        return message


def answer_of(value: object, request: Request) -> Answer:
    """What ``act`` returned, as an Answer.

    Raises:
        ProtocolError: it is neither text nor an Answer; the message names the phase.
    """
    if isinstance(value, Answer):
        return value
    if isinstance(value, str):
        return Answer(value)
    raise ProtocolError(
        f"act() returned {value!r} in phase {request.phase!r}: return one of request.legal, or an Answer"
    )
