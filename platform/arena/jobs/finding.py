"""What the doctor says of one part."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Finding:
    """What was found of one part."""

    part: str
    is_ok: bool
    detail: str
    remedy: str = ""
    """What to do; empty if nothing need be done."""
