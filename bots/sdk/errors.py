"""What can go wrong between the referee and a bot.

SdkError
├── ProtocolError    a line, or an answer, that is not in rensho/1
└── WorldError       a view, or hands for it, that the rules contradict
"""


class SdkError(Exception):
    """Root of every error the SDK raises on purpose."""


class ProtocolError(SdkError, ValueError):
    """A message outside ``rensho/1``; the text quotes it and says what was expected."""


class WorldError(SdkError, ValueError):
    """A view that contradicts the rules, or hands that contradict the view; the text says where."""
