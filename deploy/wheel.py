"""What the wheel holds besides the packages: documents for the site, example bots, the compiled kernel.

The documents are those of ``arena.web.base.documents.files``. The kernel is compiled where the wheel is
built, if there is a compiler (``deploy/build_kernel.py``); the wheel is then for one version of Python and
one kind of machine. Otherwise, and with ``RENSHO_PURE_WHEEL=1``, it has the Python files alone and is for
any. An editable installation reads all of them where they stand, and a source archive has nothing compiled.
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
"""By path from the root, which they keep below ``PLACE``."""
EXAMPLES = (
    "examples/c/Makefile",
    "examples/c/bot.c",
    "examples/c/rensho.toml",
    "examples/javascript/main.js",
    "examples/javascript/rensho.toml",
)
"""What ``rensho new --language`` copies, by path, which they keep below ``bots``."""


class Wheel(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling before it builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, unless the installation is to be editable."""
        if version != "standard":
            return
        included = build_data["force_include"]
        included.update({name: f"{PLACE}/{name}" for name in DOCUMENTS})
        included.update({name: f"bots/{name}" for name in EXAMPLES})
        modules = self.compiled()
        included.update({str(path): f"engine/kernel/{path.name}" for path in modules})
        if modules:
            build_data["pure_python"] = False
            # Of this Python and linux_MACHINE: what it needs of the C library is not looked at.
            build_data["infer_tag"] = True

    def compiled(self) -> list[Path]:
        """The modules of the kernel, compiled for the Python that builds; none, with a line that says why,
        where that is not possible."""
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
