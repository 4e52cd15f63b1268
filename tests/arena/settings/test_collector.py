"""The garbage collector pauses while a process of the platform starts, and no longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "platform"
PROGRAM = """
import gc, django
from django.conf import settings
assert settings.INSTALLED_APPS and not gc.isenabled()
django.setup()
print(gc.isenabled(), gc.get_freeze_count() > 10_000, gc.get_threshold()[0])
"""


def test_it_starts_when_all_is_loaded_and_passes_over_it(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "arena.settings.base",
        "RENSHO_DATA": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        cwd=SOURCE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True True 10000\n", done.stderr
