"""Plays channels here and now; needs no pytest. One line of JSON first of all, then one a cell."""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import subprocess
import sys
from collections.abc import Sequence

from referee.sandbox import Level, probe
from tests.referee.between.arrangements import carry
from tests.referee.between.channel import Arrangement, Channel
from tests.referee.between.corpus import BY_NAME, CELLS, CHANNELS
from tests.referee.between.guesses import carries, count_right
from tests.referee.between.setting import usual_setting

LEARN = 8
"""One in so many guesses' worth of readings more, to learn from."""


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def play(channel: Channel, arrangement: Arrangement, guesses: int, *, walls: bool) -> None:
    """Play one cell and say what came of it."""
    setting = usual_setting()
    guesses = max(guesses // channel.costs, 60)
    learn = max(guesses // LEARN, 60)
    cell = {"channel": channel.name, "arrangement": arrangement, "walls": walls}
    try:
        with contextlib.ExitStack() as removed:
            for removal in (*channel.played, *(() if walls else channel.without)):
                removed.enter_context(removal(setting))
            came = carry(channel, arrangement, setting, guesses + learn, "between")
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        say(**cell, problem=str(error))
        return
    count = count_right(came.readings, came.bits, learn)
    say(
        **cell,
        right=count.right,
        guesses=count.guesses,
        carries=carries(count, CELLS),
        bits=round(count.bits, 4),
        per_s=round(count.bits * len(came.bits) / came.took_s, 2),
        per_pair=round(count.bits * len(came.bits) / came.exchanges, 3),
        took_s=round(came.took_s, 2),
        sample=came.readings[:4],
    )


def main(words: Sequence[str]) -> None:
    """Play the channels named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.referee.between", description=__doc__)
    parser.add_argument("channels", nargs="*", metavar="CHANNEL")
    parser.add_argument("--guesses", type=int, default=1000, metavar="N", help="guesses a cell (%(default)s)")
    parser.add_argument("--control-guesses", type=int, default=250, metavar="N", help="(%(default)s)")
    parser.add_argument(
        "--controls",
        choices=("none", "declared", "also", "only"),
        default="also",
        help="without walls: nothing, where a channel is declared to carry, also or only (%(default)s)",
    )
    parser.add_argument("--arrangement", choices=list(Arrangement), action="append", default=[])
    asked = parser.parse_args(words)
    found = probe()
    say(level=found.level.name, failures=[f"{failure.step}: {failure.remedy}" for failure in found.failures])
    if found.level is Level.NONE:
        return
    for name in asked.channels or [channel.name for channel in CHANNELS]:
        channel = BY_NAME[name]
        if platform.machine() not in channel.machines:
            continue
        for arrangement in Arrangement:
            if asked.arrangement and arrangement not in asked.arrangement:
                continue
            if asked.controls != "only":
                play(channel, arrangement, asked.guesses, walls=True)
            is_wanted = asked.controls in ("also", "only") or (
                asked.controls == "declared" and arrangement in channel.carries
            )
            if is_wanted and channel.without:
                play(channel, arrangement, asked.control_guesses, walls=False)


if __name__ == "__main__":
    main(sys.argv[1:])
