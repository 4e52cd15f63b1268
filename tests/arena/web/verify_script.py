"""Runs the script of the fairness panel in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import arena.web
from engine import all_games
from viewer.games import dealing_of

SCRIPT = Path(arena.web.__file__).parent / "static/web/verify.js"
NOTHING = {
    "secret": "",
    "bundles": [],
    "tournament": "",
    "digest": "",
    "boards": [],
    "decks": [],
    "views": [],
}


def answers_to(**asked: Any) -> dict[str, Any]:
    """What the script says to all that is asked."""
    assert shutil.which("node"), "deploy/system-packages.sh tests installs node"
    dealings = {game: dealing_of(game) for game in all_games()}
    run = subprocess.run(
        ["node", str(Path(__file__).with_suffix(".mjs")), str(SCRIPT)],
        input=json.dumps({**NOTHING, **asked, "dealings": dealings}),
        capture_output=True,
        text=True,
        check=True,
    )
    answers: dict[str, Any] = json.loads(run.stdout)
    return answers
