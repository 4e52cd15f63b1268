"""Errors of the SDK.

SdkError
├── ProtocolError    a line or an answer outside rensho/1
└── WorldError       a view, or hands for it, that contradict the rules
"""


class SdkError(Exception):
    pass


class ProtocolError(SdkError, ValueError):
    """A message outside ``rensho/1``; the text quotes it and names what was expected."""


class WorldError(SdkError, ValueError):
    """A view that contradicts the rules, or hands that contradict the view; the text says where."""
