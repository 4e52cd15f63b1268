"""Checking a finished event from outside, with nothing but the published text and hashlib.

Written from DESIGN.md 8 on purpose and not from the code that made the deals: two ways to one result.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def fairness_disagreements(
    promised: str, fairness: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """What does not follow from the commitment ``promised`` at registration; nothing if all is well.

    ``fairness`` and ``entries`` are the API's answers after the end.
    """
    if fairness["secret"] is None:
        yield "the secret was not revealed"
        return
    secret = bytes.fromhex(fairness["secret"])
    if hashlib.sha256(secret).hexdigest() != promised:
        yield f"the revealed secret does not have the hash {promised} promised at registration"
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


def records_disagreements(export: bytes) -> Iterator[str]:
    """Records that an export names and does not hold, or holds with other bytes than its name says."""
    with zipfile.ZipFile(io.BytesIO(export)) as archive:
        stages = json.loads(archive.read("tournament.json"))["stages"]
        tables = [
            table
            for stage in stages
            for played in stage["rounds"]
            for fixture in played["fixtures"]
            for table in fixture["tables"]
        ]
        for table in tables:
            name = f"records/{table['record_sha256']}.ndjson"
            if name not in archive.namelist():
                yield f"table {table['id']}: {name} is missing"
            elif hashlib.sha256(archive.read(name)).hexdigest() != table["record_sha256"]:
                yield f"table {table['id']}: the bytes of {name} have another hash"
