"""A small bot without dependencies, for seeded databases; the first constant is its style.

Its answer depends on the request alone, so equal boards and bundles give equal records.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

STYLE = "first"

BRITTLE_ODDS = 60
EXIT_ODDS = 900


def choose(legal: list[str], observation: dict[str, Any]) -> str:
    if STYLE == "first":
        return legal[0]
    if STYLE == "last":
        return legal[-1]
    if STYLE == "middle":
        return legal[len(legal) // 2]
    situation = json.dumps([STYLE, legal, observation.get("hand")], sort_keys=True).encode()
    drawn = int.from_bytes(hashlib.sha256(situation).digest()[:6], "big")
    if STYLE == "brittle":
        if drawn % EXIT_ODDS == 0:
            sys.exit(1)
        if drawn % BRITTLE_ODDS == 0:
            return "what?"
    return legal[drawn % len(legal)]


def answer(line: bytes) -> bytes | None:
    message = json.loads(line)
    if message["type"] == "hello":
        reply: dict[str, Any] = {"type": "ready", "name": STYLE, "events": False}
    elif message["type"] == "request":
        reply = {"id": message["id"], "action": choose(message["legal"], message["observation"])}
    else:
        return None
    return json.dumps(reply).encode() + b"\n"


def main() -> None:
    for line in sys.stdin.buffer:
        reply = answer(line)
        if reply is not None:
            sys.stdout.buffer.write(reply)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
