"""The figures of a whole audit as a table: ``python -m tests.arena.verification.figures FILE``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from tests.arena.verification.expected import MEANINGLESS

DISGUISES = ("plain", "forger", "operator")


def main(path: Path) -> None:
    """Print how many changes of each event were made and missed, by disguise."""
    made: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    print(f"{'event':<20}" + "".join(f"{name:>22}" for name in DISGUISES))
    for line in sorted(path.read_text().splitlines()):
        row = json.loads(line)
        cells = []
        for name in DISGUISES:
            unseen = [change for change in row["missed"].get(name, ()) if change not in MEANINGLESS]
            made[name] += row["changes"].get(name, 0)
            missed[name] += len(unseen)
            cells.append(f"{row['changes'].get(name, 0):>12}, {len(unseen):>3} missed")
        print(f"{row['event']:<20}" + "".join(f"{cell:>22}" for cell in cells))
    for name in DISGUISES:
        share = 100 * (1 - missed[name] / made[name])
        print(f"{name}: {made[name]} changes, {share:.1f} % found")
    print(f"without a meaning: {len(MEANINGLESS)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
