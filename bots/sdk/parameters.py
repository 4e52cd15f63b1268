"""Parameters of a bot from its ``rensho.toml``. Imported on first use."""

from __future__ import annotations

import tomllib
from pathlib import Path

from bots.sdk.errors import ProtocolError

MANIFEST = "rensho.toml"


def parameters_beside(program: str) -> dict[str, float]:
    """Return the defaults by name, whole numbers as int, from the nearest manifest in or above a folder.

    Raise ``ProtocolError`` if there is none.
    """
    for folder in Path(program).resolve().parents:
        path = folder / MANIFEST
        if path.is_file():
            table = tomllib.loads(path.read_text(encoding="utf-8")).get("parameters", {})
            return {
                name: int(fields["default"]) if fields.get("whole") else float(fields["default"])
                for name, fields in table.items()
            }
    raise ProtocolError(f"there is no {MANIFEST} beside {program}: put one there, docs/kit.md says how")
