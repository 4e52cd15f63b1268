"""Bot source code: starter templates, the program of a version, and packing both as an upload."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.roster.models import Bot, BotVersion
from referee.bundle import bundle_files, zip_files
from referee.errors import BundleError

RUNTIME = "python/1"
SOURCE_CHARACTERS = 200_000
TEMPLATE_NAME = "my-bot"
GENERIC = "generic"
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Source(NamedTuple):
    """A program as text, with the other files of its bundle."""

    text: str
    entry_point: str
    files: dict[str, bytes]


def starter_of(bot: Bot) -> Source:
    name = _NO_NAME.sub("-", bot.name).strip("-._")[:60] or TEMPLATE_NAME
    files = {
        path.name: path.read_text(encoding="utf-8").replace(TEMPLATE_NAME, name).encode()
        for path in sorted(_template_folder(bot.game).iterdir())
        if path.is_file()
    }
    return Source(files["main.py"].decode(), "main.py", files)


def source_of(version: BotVersion) -> Source | None:
    """Return the program of a version with all files of its bundle. The caller checks permissions.

    None if it is not Python text, too long for a page, or its bundle was deleted.
    """
    if version.runtime != RUNTIME or not version.bundle_sha256:
        return None
    try:
        files = bundle_files(blob_get(version.bundle_sha256))
        text = files[version.entry_point].decode()
    except (OSError, BundleError, KeyError, UnicodeDecodeError, NotFound):
        return None
    return Source(text, version.entry_point, files) if len(text) <= SOURCE_CHARACTERS else None


def bundle_of(version: BotVersion) -> bytes:
    """Return the bundle of a version, an uncompressed tar (NotFound). The caller checks permissions."""
    if not version.bundle_sha256:
        raise NotFound(f"No bundle of {version} is stored.", "blob_missing")
    return blob_get(version.bundle_sha256)


def source_packed(source: Source, text: str) -> bytes:
    """Return a zip of the files with ``text`` as the program, with the line ends of the worker."""
    program = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8")
    return zip_files({**source.files, source.entry_point: program})


def _template_folder(game: str) -> Path:
    # Looked for, not imported: the site needs nothing of the kit but these texts.
    spec = importlib.util.find_spec("bots")
    for root in spec.submodule_search_locations or () if spec else ():
        for name in (game, GENERIC):
            folder = Path(root) / "template" / name
            if folder.is_dir():
                return folder
    raise FileNotFoundError("bots/template is missing from this installation; install the package again")
