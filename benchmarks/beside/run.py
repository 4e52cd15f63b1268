"""The measurement: phases of tournaments alone, the ladder alone, and both."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
from django.conf import settings
from django.db import connection
from django.utils import timezone

from arena.ladders.models import Ladder, LadderRound
from benchmarks.beside import figures
from benchmarks.beside.events import Events
from benchmarks.beside.figures import EVENT, LADDER, Pace, Rounds, Stretch, pace
from benchmarks.beside.people import Owner, owners
from benchmarks.demo.client import Client
from benchmarks.demo.command import account_client, worker_is_ready
from benchmarks.demo.site import Site
from referee.sandbox import require_level

BAR = 0.9
LOOK_S = 0.2
LIMIT_S = 300.0
"""Longest wait for anything that is not a phase."""
ALONE = (40.0, 180.0)
LADDER_ALONE = (30.0, 120.0)
"""Shortest and longest phase in seconds; between them a sixth and a tenth of what both have together."""
ROTATIONS = 2


class Blocked(Exception):
    """The measurement does not go on; the message says why."""


class Run:
    """One installation with its tournaments and its ladder."""

    def __init__(self, site: Site, organiser: Client, people: Sequence[Owner], entrants: int) -> None:
        self._site, self._people = site, people
        self._events = Events(organiser, people[:entrants])
        self._placed: list[tuple[Owner, str]] = []
        self._rated: dict[str, float] = {}
        # The first tick makes it.
        self._watch(Ladder.objects.exists)
        self.ladder = Ladder.objects.get().public_id

    def phase(self, what: str, seconds: float) -> Stretch:
        """Let it go on for so long."""
        since = timezone.now()
        print(f"{since:%H:%M:%S}  {what}, {seconds:.0f} s", flush=True)
        until = time.monotonic() + seconds
        self._watch(lambda: time.monotonic() >= until, seconds + LIMIT_S)
        return Stretch(since, timezone.now())

    def pause(self) -> None:
        """Pause the tournament, and wait until its last tables have ended."""
        self._events.pause()
        self._watch(lambda: not figures.tables_in_play(EVENT))

    def resume(self) -> None:
        """Let the tournament go on."""
        self._events.resume()

    def ladder_begin(self) -> None:
        """Put every version on the ladder and wait for its first round."""
        for owner in self._people:
            placed = owner.client.post(f"ladders/{self.ladder}/placements", {"version": owner.version})
            self._placed.append((owner, placed["id"]))
        self._watch(LadderRound.objects.exists)

    def ladder_end(self) -> bool:
        """Take every version off the ladder; whether its last round ended in time."""
        for owner, placed in self._placed:
            owner.client.delete(f"ladders/{self.ladder}/placements/{placed}")
        try:
            self._watch(lambda: not LadderRound.objects.filter(state=LadderRound.State.OPEN).exists())
        except Blocked:
            return False
        return True

    @property
    def rated_after_s(self) -> list[float]:
        """Seconds from the end of each round until its ratings could be read."""
        return list(self._rated.values())

    def _watch(self, is_over: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        until = time.monotonic() + limit_s
        while True:
            self._site.look_after()
            self._events.keep()
            now = timezone.now()
            for name, at in figures.rounds_rated().items():
                self._rated.setdefault(name, (now - at).total_seconds())
            done = is_over()
            connection.close()
            if done:
                return
            if time.monotonic() > until:
                raise Blocked(f"waited {limit_s:.0f} s in vain")
            time.sleep(LOOK_S)


def pages(site: Site, ladder: str) -> list[str]:
    """What answers slowly or not at all of a ladder's addresses, with the time of every one printed."""
    wrong = []
    with httpx.Client(base_url=site.url, timeout=30, trust_env=False) as http:
        season = http.get(f"/api/v1/ladders/{ladder}/seasons").json()["results"][0]
        listed = f"/api/v1/ratings?list={season['list']}"
        for path in (
            f"/api/v1/ladders/{ladder}",
            f"/api/v1/ladders/{ladder}/rounds",
            f"/api/v1/ladders/{ladder}/placements?placed=true",
            listed,
            f"/ladders/{ladder}",
        ):
            began = time.perf_counter()
            answer = http.get(path)
            took = 1000 * (time.perf_counter() - began)
            print(f"    {path}: {answer.status_code}, {len(answer.content)} bytes, {took:.0f} ms")
            if answer.status_code != 200:
                wrong.append(f"{path} answers {answer.status_code}")
    return wrong


def main() -> int:
    """Measure, print, and tell whether the bars are kept."""
    parser = argparse.ArgumentParser(prog="bench_ladder_beside.py", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0, help="both together")
    parser.add_argument("--bots", type=int, default=30, help="on the ladder, each of its own owner")
    parser.add_argument("--entrants", type=int, default=16, help="of them in the tournaments")
    parser.add_argument("--workers", type=int, default=2, help="tables at once")
    parser.add_argument("--logs", action="store_true", help="print every error of the logs")
    arguments = parser.parse_args()
    both_s = 60 * arguments.minutes
    alone_s = min(max(both_s / 6, ALONE[0]), ALONE[1])
    ladder_s = min(max(both_s / 10, LADDER_ALONE[0]), LADDER_ALONE[1])
    print(
        f"level {require_level().level.name}, load average {os.getloadavg()[0]:.2f} on "
        f"{len(os.sched_getaffinity(0))} cores, {arguments.workers} tables at once"
    )
    with (
        Site(0, workers=arguments.workers) as site,
        account_client(site.wait_ready(worker_is_ready), "organiser", is_organiser=True) as organiser,
        owners(site, arguments.bots) as people,
    ):
        run = Run(site, organiser, people, arguments.entrants)
        before = run.phase("tournaments alone", alone_s)
        run.pause()
        run.ladder_begin()
        ladder_alone = run.phase("the ladder alone", ladder_s)
        run.resume()
        both = run.phase("both", both_s)
        wrong = pages(site, run.ladder)
        has_ended = run.ladder_end()
        after = run.phase("tournaments alone", alone_s) if has_ended else None
    ladder = Ladder.objects.get(public_id=run.ladder)
    rounds = figures.rounds_of(ladder, [owner.version for owner in people], ROTATIONS)
    alone = [before, after] if after else [before]
    kept = [tempo(alone, ladder_alone, both), told(rounds, run.rated_after_s)]
    wrong += [*figures.trouble(), *log_lines(Path(settings.DATA) / "logs", is_whole=arguments.logs)]
    for line in wrong:
        print(f"    {line}")
    print(f"faults, verdicts, errors in the logs: {len(wrong)}   {verdict(not wrong)}")
    return 0 if all(kept) and not wrong else 1


def tempo(alone: Sequence[Stretch], ladder_alone: Stretch, both: Stretch) -> bool:
    """Print what each got done; whether tournaments kept their pace beside the ladder."""
    paces = {
        "tournaments alone": pace(EVENT, alone),
        "tournaments beside the ladder": pace(EVENT, [both]),
        "the ladder alone": pace(LADDER, [ladder_alone]),
        "the ladder beside tournaments": pace(LADDER, [both]),
    }
    for what, found in paces.items():
        print(f"{what:<30} {row(found)}")
    if len(alone) > 1:
        print(f"{'alone, before and after':<30} {' | '.join(row(pace(EVENT, [one])) for one in alone)}")
    ratio = paces["tournaments beside the ladder"].boards / paces["tournaments alone"].boards
    print(f"beside the ladder tournaments have {ratio:.3f} of it, bar {BAR}   {verdict(ratio >= BAR)}")
    return ratio >= BAR


def row(found: Pace) -> str:
    """A pace as text."""
    return f"{found.tables:6.1f} tables {found.boards:7.0f} boards {found.cpu_s:5.1f} s of CPU a minute"


def told(rounds: Rounds, rated_after_s: Sequence[float]) -> bool:
    """Print what the ladder did; whether nobody was starved."""
    boards = list(rounds.boards.values())
    mean = statistics.mean(boards)
    is_kept = rounds.counted > 0 and min(boards) >= mean - rounds.boards_a_round
    kinds = ", ".join(f"{count} {kind}" for kind, count in rounds.kinds.items())
    print(f"ladder: {rounds.counted} rounds counted ({kinds} drawn), {rounds.dropped} dropped")
    print(
        f"    boards a bot {min(boards)} / {mean:.1f} / {max(boards)} (least, mean, most), "
        f"{rounds.boards_a_round} a round   {verdict(is_kept)}"
    )
    most = max(rounds.left_over.values(), default=0)
    print(
        f"    left over {rounds.left_over.total()} times, a bot {most} at most, "
        f"{rounds.twice_left_over} times in two rounds running"
    )
    print(f"    from a round's end to the next one's drawing {figures.spread(rounds.pauses_s, ' s')}")
    print(f"    and to its ratings {figures.spread(rated_after_s, ' s')} (least, median, most)")
    return is_kept


def log_lines(logs: Path, *, is_whole: bool) -> list[str]:
    """Errors in the logs: the first ones, or all."""
    found = figures.errors_logged(logs)
    return found if is_whole else found[:20]


def verdict(is_kept: bool) -> str:
    """As all benchmarks say it."""
    return "PASS" if is_kept else "FAIL"


if __name__ == "__main__":
    sys.exit(main())
