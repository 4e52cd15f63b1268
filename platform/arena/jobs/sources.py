"""Bots as text: the template to start from, the program of a version, and both as an upload."""

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
"""Of a program that is written in a page."""
TEMPLATE_NAME = "my-bot"
"""What bots are called in the templates."""
GENERIC = "generic"
"""The template of a game that has none of its own."""
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Source(NamedTuple):
    """A program as text, and the files it comes with."""

    text: str
    entry_point: str
    files: dict[str, bytes]
    """By path, the program included."""


def starter_of(bot: Bot) -> Source:
    """What ``rensho new`` would make for the bot's game: a program that plays already."""
    name = _NO_NAME.sub("-", bot.name).strip("-._")[:60] or TEMPLATE_NAME
    files = {
        path.name: path.read_text(encoding="utf-8").replace(TEMPLATE_NAME, name).encode()
        for path in sorted(_template_folder(bot.game).iterdir())
        if path.is_file()
    }
    return Source(files["main.py"].decode(), "main.py", files)


def source_of(version: BotVersion) -> Source | None:
    """The program of a version with all files of its bundle; None if it is no Python text, too long for a
    page, or its bundle is gone. Whose it is, is for the caller to have checked.
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
    """The bytes of a version's bundle, an uncompressed tar. Whose it is, is for the caller to have checked.

    Raises:
        NotFound: it was refused before it was stored, or its account was deleted.
    """
    if not version.bundle_sha256:
        raise NotFound(f"No bundle of {version} is stored.", "blob_missing")
    return blob_get(version.bundle_sha256)


def source_packed(source: Source, text: str) -> bytes:
    """A zip of the files, with ``text`` as the program; lines end as on the worker."""
    program = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8")
    return zip_files({**source.files, source.entry_point: program})


def _template_folder(game: str) -> Path:
    # Looked for, not imported: the site needs nothing of the kit but these texts.
    found = importlib.util.find_spec("bots")
    for root in found.submodule_search_locations or () if found else ():
        for name in (game, GENERIC):
            folder = Path(root) / "template" / name
            if folder.is_dir():
                return folder
    raise FileNotFoundError("bots/template is not part of this installation: install the package again")
