"""What the settings say to libraries before they are loaded."""

from __future__ import annotations

import os
import subprocess
import sys

ASK = """
import os, sys
import arena.settings.test
assert "numpy" not in sys.modules
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


def test_one_thread_a_process_unless_the_environment_says_otherwise() -> None:
    usual = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, expected in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")):
        said = subprocess.run(
            [sys.executable, "-c", ASK],
            env=usual | given,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert said.stdout.strip() == expected
