"""Files that are whole or not there: what a process killed while writing leaves is nobody's blob."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from django.core.files import File
from django.core.files.storage import FileSystemStorage

WRITING = ".writing-"
"""How the names of files begin that are being written."""


class WholeFileStorage(FileSystemStorage):
    """Django's folder of files, but each appears under its name complete, in place of what was there."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The very name: who writes it again writes the same bytes, or heals what was damaged."""
        return name

    def _save(self, name: str, content: File[bytes]) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, aside = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
        try:
            with os.fdopen(fd, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
            Path(aside).chmod(self.file_permissions_mode or 0o644)
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        return name
