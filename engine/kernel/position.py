"""What the kernel says of a position that cannot be."""

from __future__ import annotations

from engine.errors import EngineError


class KernelError(EngineError):
    """No such position, or a limit that allows nothing; the message names what is wrong and what would do."""
