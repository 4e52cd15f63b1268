"""The result of a health check, as the doctor prints it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class HealthResult:
    """Whether a part is in order, and what to do if not."""

    part: str
    is_ok: bool
    detail: str
    remedy: str = ""
    """What to do; empty if nothing has to be done."""
