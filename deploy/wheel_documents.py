"""Puts into the wheel the documents that the site shows (arena.web.documents.files), and the example bots.

An editable installation reads them where they stand.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "arena/documents"
DOCUMENTS = (
    "docs",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "deploy/README.md",
    "examples/c/README.md",
    "examples/javascript/README.md",
)
"""By path from the root, which they keep below ``PLACE``."""
EXAMPLES = (
    "examples/c/Makefile",
    "examples/c/bot.c",
    "examples/c/rensho.toml",
    "examples/javascript/main.js",
    "examples/javascript/rensho.toml",
)
"""What ``rensho new --language`` copies, by path, which they keep below ``bots``."""


class WheelDocuments(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling before it builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, unless the installation is to be editable."""
        if version == "standard":
            build_data["force_include"].update({name: f"{PLACE}/{name}" for name in DOCUMENTS})
            build_data["force_include"].update({name: f"bots/{name}" for name in EXAMPLES})
