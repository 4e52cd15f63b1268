"""Read-only views of the referee's messages, and the answers of a bot."""

from __future__ import annotations

from bots.sdk.errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random
    from typing import Any  # fields of decoded JSON have no narrower type


def seeded(text: str) -> Random:
    from random import Random

    return Random(text)


class Hello:
    """The first message: game, rules and seat."""

    __slots__ = ("_message",)

    def __init__(self, message: Mapping[str, Any]) -> None:
        self._message = message

    @property
    def message(self) -> Mapping[str, Any]:
        return self._message

    @property
    def protocol(self) -> int:
        """The version number in ``rensho/1``."""
        return int(self._message["protocol"])

    @property
    def game(self) -> str:
        """The game's key: ``kakeya`` or ``kakkuri``."""
        return str(self._message["game"])

    @property
    def preset(self) -> str:
        """The preset that the rules are based on, such as ``kakeya4``."""
        return str(self._message["preset"])

    @property
    def ruleset(self) -> Mapping[str, Any]:
        return dict(self._message["ruleset"])

    @property
    def seat(self) -> int:
        """This bot's seat, 1 to ``seats``, numbered anticlockwise."""
        return int(self._message["seat"])

    @property
    def seats(self) -> int:
        return int(self._message["seats"])

    @property
    def partner(self) -> int | None:
        """The other seat of the pair; None without pairs."""
        partner = self._message.get("partner")
        return None if partner is None else int(partner)

    @property
    def clock(self) -> Mapping[str, Any]:
        """Time limits by name, in ms as each name says."""
        return dict(self._message["clock"])

    @property
    def rng(self) -> str:
        """Random seed for this seat at this table, 16 hex digits."""
        return str(self._message["rng"])


class Request:
    """A decision to take. ``observation`` has all that a bot may know."""

    __slots__ = ("_legal", "_message", "_rng", "_ruleset")

    def __init__(self, message: Mapping[str, Any], ruleset: Mapping[str, Any] | None = None) -> None:
        """Wrap a decoded line; ``ruleset`` are the options from hello, which ``Bot`` passes."""
        self._message = message
        self._legal = tuple(message["legal"])
        self._ruleset: Mapping[str, Any] = {} if ruleset is None else ruleset
        self._rng: Random | None = None

    @property
    def message(self) -> Mapping[str, Any]:
        """The decoded line, including fields without an accessor."""
        return self._message

    @property
    def id(self) -> str:
        """16 hex digits for the answer to repeat; unrelated to the cards."""
        return str(self._message["id"])

    @property
    def phase(self) -> str:
        """Kind of decision: in Kakeya ``trump``, ``lead`` or ``play``; in Kakkuri ``turn`` and others."""
        return str(self._message["phase"])

    @property
    def legal(self) -> tuple[str, ...]:
        """Legal actions in canonical order, never empty."""
        return self._legal

    @property
    def observation(self) -> Mapping[str, Any]:
        """All that this seat may see; ``KakeyaView(request)`` and ``KakkuriView(request)`` read it."""
        observation: Mapping[str, Any] = self._message["observation"]
        return observation

    @property
    def ruleset(self) -> Mapping[str, Any]:
        """Options by name, from hello; empty without a hello. A missing option has its default."""
        return self._ruleset

    @property
    def seat(self) -> int:
        return int(self.observation["seat"])

    @property
    def bank_ms(self) -> float:
        """CPU time left in the bank, in ms, without this decision's increment."""
        return float(self._message["clock"]["bank_ms"])

    @property
    def increment_ms(self) -> float:
        """CPU time that every decision gets on top of the bank, in ms."""
        return float(self._message["clock"]["increment_ms"])

    @property
    def rng(self) -> Random:
        """A generator seeded by ``id`` alone, which makes a bot a pure function of the request."""
        if self._rng is None:
            self._rng = seeded(self.id)
        return self._rng


class Answer:
    """An action with optional remarks: ``debug`` for the owner's log, ``policy`` for analysis."""

    __slots__ = ("action", "debug", "policy")

    def __init__(
        self, action: str, *, debug: str | None = None, policy: Mapping[str, float] | None = None
    ) -> None:
        self.action = action
        self.debug = debug
        self.policy = policy

    def as_message(self, request_id: str) -> dict[str, Any]:
        message: dict[str, Any] = {"id": request_id, "action": self.action}
        if self.debug is not None:
            message["debug"] = self.debug
        if self.policy is not None:
            message["policy"] = dict(self.policy)
        return message


def answer_of(value: object, request: Request) -> Answer:
    """Convert the return value of ``act`` to an Answer, or raise ``ProtocolError`` naming the phase."""
    if isinstance(value, Answer):
        return value
    if isinstance(value, str):
        return Answer(value)
    raise ProtocolError(
        f"act() returned {value!r} in phase {request.phase!r}: return one of request.legal, or an Answer"
    )
