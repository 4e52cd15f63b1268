"""Content of the wheel besides the packages: documents for the site, example bots, the compiled kernel.

The documents are the files of ``arena.web.base.documents.files``. If a compiler is available, the kernel is
compiled during the build (``deploy/build_kernel.py``), and the wheel is for one Python version and one
machine. Otherwise, and with ``RENSHO_PURE_WHEEL=1``, the wheel has only Python files and runs anywhere.
Editable installations read the files in place; source archives contain nothing compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
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
"""Paths relative to the root, kept below ``PLACE``."""
EXAMPLES = (
    "examples/c/Makefile",
    "examples/c/bot.c",
    "examples/c/rensho.toml",
    "examples/javascript/main.js",
    "examples/javascript/rensho.toml",
)
"""Files that ``rensho new --language`` copies; their paths are kept below ``bots``."""


class Wheel(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, except for an editable installation."""
        if version != "standard":
            return
        included = build_data["force_include"]
        included.update({name: f"{PLACE}/{name}" for name in DOCUMENTS})
        included.update({name: f"bots/{name}" for name in EXAMPLES})
        modules = self.compiled()
        included.update({str(path): f"engine/kernel/{path.name}" for path in modules})
        if modules:
            build_data["pure_python"] = False
            # Tagged for this Python and linux_MACHINE: the required version of the C library is not checked.
            build_data["infer_tag"] = True

    def compiled(self) -> list[Path]:
        """Return the kernel modules compiled for the building Python; empty, with a warning, if they cannot
        be built.
        """
        if os.environ.get("RENSHO_PURE_WHEEL") == "1":
            return []
        command = [sys.executable, str(Path(self.root, "deploy", "build_kernel.py")), "--list"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stderr:
            self.app.display_warning(done.stderr.strip())
        if done.returncode != 0:
            self.app.display_warning("The wheel has the kernel as plain Python, some fifty times slower.")
            return []
        return [Path(line) for line in done.stdout.splitlines()]
