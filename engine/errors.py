"""Errors of the rules engine.

EngineError
├── NotationError           the text cannot be read at all
├── IllegalAction           readable, but not allowed now
├── UnknownGame             no such game or preset
├── RulesetError            an option has an impossible value
├── ObservationError        an observation, or hands for it, that cannot be
├── ProtocolError           a line between referee and bot is not in rensho/1
└── RecordError             a record contradicts the rules or itself
    └── RulesVersionMismatch   a record of rules this engine does not know
"""

from engine.refusals import clipped, quoted


class EngineError(Exception):
    """Base of every error the engine raises; its message has at most ``REFUSAL_CHARS``."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class NotationError(EngineError, ValueError):
    """The text is not a card, a meld or a word of the game; the message quotes it."""


class IllegalAction(EngineError, ValueError):
    """A readable action that the rules do not allow now.

    The message quotes action, seat, rule and situation, never a hidden card.
    """

    def __init__(self, action: str, seat: int, rule: str, situation: str) -> None:
        self.action = action
        self.seat = seat
        self.rule = rule
        self.situation = situation
        super().__init__(f"illegal action {quoted(action)} by seat {seat}: {rule} ({situation})")


class UnknownGame(EngineError, LookupError):
    """No game or preset of this name; the message lists the existing ones."""


class RulesetError(EngineError, ValueError):
    """An option that does not exist, or a value it cannot take; the message names both."""


class ObservationError(EngineError, ValueError):
    """An observation that the rules contradict, or hands that contradict it; the message says where."""


class ProtocolError(EngineError, ValueError):
    """A line outside ``rensho/1``; the message says what was found and what to send instead."""


class RecordError(EngineError, ValueError):
    """A record that the rules contradict; ``line`` is its line number from 1, or 0 if none applies."""

    def __init__(self, reason: str, line: int = 0) -> None:
        self.reason = reason
        self.line = line
        super().__init__(f"line {line}: {reason}" if line else reason)


class RulesVersionMismatch(RecordError):
    """A record made under a ``rules_version`` this engine does not know."""
