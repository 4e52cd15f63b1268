"""What can go wrong in the referee on our side; a bot's misconduct is a verdict, never an exception.

RefereeError
├── SandboxUnavailable      bots cannot be run safely on this machine
└── OrderInvalid            the order cannot be carried out as written
"""

from __future__ import annotations


class RefereeError(Exception):
    """Root of every error the referee raises on purpose."""


class SandboxUnavailable(RefereeError):
    """Bots cannot be run safely here: ``step`` failed, ``remedy`` says what to do about it."""

    def __init__(self, step: str, remedy: str) -> None:
        self.step = step
        self.remedy = remedy
        super().__init__(f"sandbox unavailable: {step}. {remedy}")


class OrderInvalid(RefereeError, ValueError):
    """The order contradicts itself or names what does not exist; the message quotes it."""
