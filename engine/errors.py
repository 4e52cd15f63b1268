"""Errors of the rules engine.

EngineError
├── NotationError           unreadable text
├── IllegalAction           readable, but not allowed now
├── UnknownGame             no such game or preset
├── RulesetError            an option has an impossible value
├── ObservationError        an impossible observation, or hands that contradict it
├── ProtocolError           a line between referee and bot violates rensho/1
└── RecordError             a record contradicts the rules or itself
    └── RulesVersionMismatch   the engine does not have the record's rules_version
"""

from engine.refusals import clipped, quoted


class EngineError(Exception):
    """Base class; a message has at most ``REFUSAL_CHARS`` characters."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class NotationError(EngineError, ValueError):
    """The text is not a card, meld or word of the game; the message quotes it."""


class IllegalAction(EngineError, ValueError):
    """The rules do not allow the action now. Names action, seat, rule and situation, never a hidden card."""

    def __init__(self, action: str, seat: int, rule: str, situation: str) -> None:
        self.action = action
        self.seat = seat
        self.rule = rule
        self.situation = situation
        super().__init__(f"illegal action {quoted(action)} by seat {seat}: {rule} ({situation})")


class UnknownGame(EngineError, LookupError):
    """No game or preset has this name; the message lists the existing names."""


class RulesetError(EngineError, ValueError):
    """The option does not exist or cannot have this value; the message names option and value."""


class ObservationError(EngineError, ValueError):
    """The observation contradicts the rules, or the hands contradict the observation."""


class ProtocolError(EngineError, ValueError):
    """A line violates ``rensho/1``; the message quotes it and says what to send instead."""


class RecordError(EngineError, ValueError):
    """A record contradicts the rules; ``line`` is the line number from 1, or 0 if no line is at fault."""

    def __init__(self, reason: str, line: int = 0) -> None:
        self.reason = reason
        self.line = line
        super().__init__(f"line {line}: {reason}" if line else reason)


class RulesVersionMismatch(RecordError):
    """The record has a ``rules_version`` that this engine does not have."""
