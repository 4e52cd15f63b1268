"""Sparring partners: every folder here is a bundle as an entrant would upload it."""

from __future__ import annotations

from pathlib import Path

MANIFEST = "rensho.toml"


def house_folders() -> dict[str, Path]:
    """The folder of each house bot by its name, sorted."""
    here = Path(__file__).parent
    return {folder.name: folder for folder in sorted(here.iterdir()) if (folder / MANIFEST).is_file()}
