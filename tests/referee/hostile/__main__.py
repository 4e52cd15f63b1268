"""Plays the corpus here and now; needs no pytest. One line of JSON first of all, then one a case."""

from __future__ import annotations

import json
import sys

from referee.sandbox import Level, probe
from tests.referee.hostile.corpus import HERE
from tests.referee.hostile.host import adopt_orphans
from tests.referee.hostile.judge import got_through, judge
from tests.referee.hostile.table import play


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def main() -> None:
    """Play the bots named, or all; with ``--probe`` none."""
    adopt_orphans()
    found = probe()
    say(level=found.level.name, failures=[f"{failure.step}: {failure.remedy}" for failure in found.failures])
    if found.level is Level.NONE or "--probe" in sys.argv:
        return
    for bot in sys.argv[1:] or HERE:
        case = HERE[bot]
        for several in (False, True):
            if several and (case.several is None or found.level < Level.FULL):
                continue
            played = play(case, several=several)
            seat = played.report.seats[case.seats[0] - 1] if played.report.seats else None
            is_open = case.channel == "open" and not played.report.platform_fault
            say(
                bot=bot,
                runtime="several processes" if several else "python/1",
                verdict=None if seat is None else seat.verdict,
                reason=[fault.reason for fault in seat.faults[:1]] if seat else [],
                problems=judge(case, played, found.level, several=several),
                got_through=got_through(played) if is_open else None,
                took_s=round(played.took_s, 3),
            )


if __name__ == "__main__":
    main()
