"""The steps of deploy/README.md: in an order that is safe, with scripts that are there."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "deploy" / "README.md").read_text()
BLOCKS = re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_secrets_of_a_restored_backup_are_revealed_before_anything_is_dealt_from_them() -> None:
    (restore,) = [block for block in BLOCKS if "run.sh restore" in block]
    steps = ("systemctl stop", "run.sh restore", "FLUSHDB", "migrate", "commitments_burn", "systemctl start")
    places = [restore.index(step) for step in steps]
    assert places == sorted(places)


def test_replays_that_an_older_release_did_not_make_are_made_by_the_update() -> None:
    (update,) = [block for block in BLOCKS if "views_make" in block]
    steps = ("run.sh backup", "release.sh install", "release.sh activate", "views_make", "doctor", "finish")
    places = [update.index(step) for step in steps]
    assert places == sorted(places)


def test_every_script_is_there_and_can_be_run() -> None:
    named = set(re.findall(r"deploy/([a-z-]+\.sh)", README))
    assert "run.sh" in named
    assert [name for name in sorted(named) if not os.access(ROOT / "deploy" / name, os.X_OK)] == []


def test_no_step_needs_what_only_another_section_has_made() -> None:
    assert [block for block in BLOCKS if re.search(r"^run |\brun\(\)", block, re.MULTILINE)] == []


def test_a_machine_that_only_plays_is_enabled_without_the_rest() -> None:
    (start,) = [block for block in BLOCKS if "enable --now rensho-worker.target" in block]
    assert "rensho.target" not in start.replace("rensho-worker.target", "")
