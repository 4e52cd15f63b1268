"""HTTP client of the API with one token; it does not use the database."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bots.kit.client.transport import Transport

EPOCH = (1980, 1, 1, 0, 0, 0)


class DemoClient(Transport):
    def __init__(self, url: str, token: str = "") -> None:
        super().__init__(url.rstrip("/"), token)
        self.token = token

    def moved(self, url: str) -> DemoClient:
        """Return the same client for a site with a new address."""
        return DemoClient(url, self.token)

    def all(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        return self.rows(dict[str, Any], path, **query)

    def changes(self, tournament: str) -> Iterator[str]:
        with self.events(f"tournaments/{tournament}/events") as events:
            for event in events or ():
                yield event.id


def folder_zip(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = str(path.relative_to(folder))
                archive.writestr(zipfile.ZipInfo(name, EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
