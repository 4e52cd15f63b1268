"""The committed description of the API, read once by all tests that look into it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

CONTRACT = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"


@cache
def contract() -> dict[str, Any]:
    """``docs/openapi.yaml``. Leave it as it is: every caller gets the same one."""
    described: dict[str, Any] = yaml.load(CONTRACT.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return described
