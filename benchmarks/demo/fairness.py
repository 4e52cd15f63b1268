"""Independent verification of a finished event, from its published data and by ``rensho verify`` from its
export.

The former follows the text of docs/fair-deals.md and uses only hashlib, not the code that made the deals:
two independent ways to one result.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.operations.installation import child_environment

VERIFY_S = 600.0
"""Timeout of the verification, far above the time for any demo."""


def fairness_disagreements(
    promised: str, fairness: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Return what does not follow from the commitment ``promised`` when entry opened.

    ``fairness`` and ``entries`` are the API's answers after the end.
    """
    if fairness["secret"] is None:
        yield "the secret was not revealed"
        return
    secret = bytes.fromhex(fairness["secret"])
    if hashlib.sha256(secret).hexdigest() != promised:
        yield f"the revealed secret does not have the hash {promised} promised when entry opened"
    entered = [entry for entry in entries if entry["status"] == "entered"]
    versions = [entry[key] for entry in entered for key in ("version", "partner_version") if entry[key]]
    hashes = sorted(version["bundle_sha256"] for version in versions)
    field = hashlib.sha256("\n".join(hashes).encode()).hexdigest()
    digests = {stage["stage"]: stage["field_digest"] for stage in fairness["field_digests"]}
    for stage, digest in digests.items():
        if digest != field:
            yield f"stage {stage}: the field digest {digest} is not that of the versions entered, {field}"
    for played in fairness["board_sets"]:
        where = f"stage {played['stage']}, round {played['round']}"
        if played["seeds"] is None:
            yield f"{where}: the seeds were not published"
            continue
        for board, seed in played["seeds"].items():
            text = "|".join(
                (
                    "rensho-board/1",
                    fairness["tournament"],
                    digests[played["stage"]],
                    str(played["stage"]),
                    str(played["round"]),
                    board,
                )
            )
            if hmac.new(secret, text.encode(), hashlib.sha256).hexdigest() != seed:
                yield f"{where}, board {board}: the seed does not follow from the secret"


def export_disagreements(path: Path) -> Iterator[str]:
    """Return the findings of ``rensho verify`` on an export."""
    command = [sys.executable, "-m", "bots.kit.cli", "verify", "--json", str(path)]
    done = subprocess.run(
        command, env=child_environment(), capture_output=True, text=True, timeout=VERIFY_S, check=False
    )
    try:
        yield from json.loads(done.stdout)["disagreements"]
    except ValueError:
        yield f"rensho verify ended with status {done.returncode}: {done.stderr.strip()[-500:]}"
