"""House bots: each folder is a bundle as an author would upload it."""

from __future__ import annotations

from pathlib import Path

MANIFEST = "rensho.toml"


def house_folders() -> dict[str, Path]:
    here = Path(__file__).parent
    return {folder.name: folder for folder in sorted(here.iterdir()) if (folder / MANIFEST).is_file()}
