"""Kills processes that play tables and looks what they leave. A program, so that any user can run it.

``mortal.py KILLS SEED TOKEN`` plays on every runtime it knows to write a bot for, with ``TOKEN`` in the names
of the bots' files, below a ``RENSHO_STAGE`` of its own; what was found is printed as JSON.

Workers are forked from this process, as a Celery pool's are, so the sandbox is probed once.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import itertools
import json
import mmap
import os
import random
import signal
import struct
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from engine import preset_named
from referee.bundle import Bundle, import_archive
from referee.capability import offers
from referee.contract import BoardOrder, Clock, FaultPolicy, Limits, SeatOrder, TableOrder, TableReport
from referee.driver import Driver, DriverReport
from referee.execute import execute
from referee.runtimes import runtime_named, stage_root
from referee.sandbox import Level, SandboxedDriver, janitor, require_level
from referee.sandbox.cgroup_sites import hierarchies
from referee.sandbox.cgroups import PREFIX
from referee.sandbox.drivers import PR_SET_PDEATHSIG
from referee.sandbox.owner import VARIABLE, owner_mark
from referee.staging import clean_stage

PHASES = ("unpack", "start", "play", "close")
PATIENCE_S = 60.0
UNIT_S = 0.0005
BOARDS = 1
PARTS = 40
"""Files of a bundle, so that unpacking it is long enough to be killed at."""
SPEAKERS = {
    "python/1": (
        ".py",
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'hello':\n"
        '        print(\'{"type":"ready"}\', flush=True)\n'
        "    elif told['type'] == 'request':\n"
        "        print(json.dumps({'id': told['id'], 'action': told['legal'][0]}), flush=True)\n",
    ),
    "node/1": (
        ".js",
        "require('readline').createInterface({input: process.stdin}).on('line', line => {\n"
        "  const told = JSON.parse(line)\n"
        "  if (told.type === 'hello') process.stdout.write('{\"type\":\"ready\"}\\n')\n"
        "  else if (told.type === 'request')\n"
        "    process.stdout.write(JSON.stringify({id: told.id, action: told.legal[0]}) + '\\n')\n"
        "})\n",
    ),
}
"""Ending and source of a bot that takes the first legal action, by runtime."""


class Clockwork:
    """What the worker is doing, told through shared memory to whoever is going to kill it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 8)
        self.entered: dict[int, float] = {}
        """When this very process first came into each phase."""

    @property
    def phase(self) -> int:
        return int(struct.unpack("i", self._memory[:4])[0])

    @phase.setter
    def phase(self, value: int) -> None:
        self._memory[:4] = struct.pack("i", value)
        self.entered.setdefault(value, time.monotonic())


CLOCK = Clockwork()


class Watched(SandboxedDriver):
    """Says when the first bot starts, when the first one is asked, and when the first one is ended."""

    is_greeted = False

    def start(self) -> None:
        CLOCK.phase = 1
        super().start()

    def post(self, line: bytes) -> None:
        if self.is_greeted:
            CLOCK.phase = 2
        self.is_greeted = True
        super().post(line)

    def close(self) -> DriverReport:
        CLOCK.phase = 3
        return super().close()


def watched_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
    label = f"seat {seat.seat}"
    runtime = runtime_named(seat.runtime)
    return Watched(folder, runtime, seat.entry_point, order.limits, cpu_limit_s=cpu_limit_s, label=label)


class Store:
    """Bundles and what tables leave, by hash."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def keep(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        self.held[sha256] = data
        return sha256


def bundles(token: str, number: int) -> Iterator[Bundle]:
    """A bot for each runtime, unlike those of other numbers, so that every table has some to unpack."""
    for offer in offers():
        if offer.refusal or offer.name not in SPEAKERS:
            continue
        ending, source = SPEAKERS[offer.name]
        entry = f"{token}{ending}"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(entry, source)
            manifest = f'name = "mortal"\nruntime = "{offer.name}"\nentry_point = "{entry}"\n'
            archive.writestr("rensho.toml", manifest)
            for part in range(PARTS):
                archive.writestr(f"part{part}.txt", f"{number} {part}\n")
        yield import_archive(packed.getvalue(), "mortal.zip")


def table_order(number: int, bots: list[Bundle]) -> TableOrder:
    game, _ = preset_named("kakeya4")
    ruleset = game.ruleset("kakeya4")
    return TableOrder(
        table=f"t{number}",
        attempt=1,
        game=game.key,
        preset="kakeya4",
        ruleset=ruleset.as_dict(),
        boards=tuple(BoardOrder(board, "deal", f"seed-{board}") for board in range(1, BOARDS + 1)),
        seats=tuple(
            SeatOrder(seat, bot.sha256, bot.manifest.runtime, bot.manifest.entry_point)
            for seat, bot in zip(range(1, 5), [*bots, *[bots[0]] * 3], strict=False)
        ),
        clock=Clock(start_wall_ms=60_000),
        limits=Limits(),
        fault_policy=FaultPolicy.STRICT,
        key="5a" * 32,
        wall_limit_s=600.0,
    )


def play(token: str, number: int, store: Store) -> TableReport:
    """One table, from unpacking to the end of its last bot."""
    bots = list(bundles(token, number))
    for bot in bots:
        store.keep(bot.data)

    order = table_order(number, bots)
    CLOCK.phase = 0
    return execute(order, store.held.__getitem__, store.keep, lambda *_: None, watched_driver)


def acts(store: Store, report: TableReport) -> list[bytes]:
    """What was played, less the header with the hashes of the bundles."""
    assert report.platform_fault is None, report.platform_fault
    assert not any(seat.faults for seat in report.seats), report.seats
    assert report.record_sha256 is not None
    return store.held[report.record_sha256].splitlines()[1:]


def work(token: str, number: int) -> None:
    """A worker's life: tables without end."""
    store = Store()
    while True:
        acts(store, play(token, number, store))
        number += 1


def processes_of(token: str, mark: str) -> list[str]:
    """Those whose command line names the bots, or whose environment names their dead owner."""
    found = []
    variable = f"{VARIABLE}={mark}".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if Path(__file__).name in command:
                continue  # whoever runs these tests
            if token in command:
                found.append(f"process {folder.name}: {command}")
            elif variable in (folder / "environ").read_bytes().split(b"\0"):
                found.append(f"process {folder.name} of {mark}: {command}")
        except OSError:
            continue
    return found


def groups_of(mark: str) -> list[str]:
    """Control groups named after the owner, in every tree there is."""
    return [
        f"control group {Path(top, name)}"
        for tree in hierarchies()
        for top, names, _ in os.walk(tree.mount)
        for name in names
        if name.startswith(f"{PREFIX}{mark}-")
    ]


def locks_of(pid: int) -> list[str]:
    """Locks that outlive a process that is gone: on uids, trees, folders.

    Looked for again for a while: a child killed between its fork and its exec has them too until it ends.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        lines = Path("/proc/locks").read_text().splitlines()
        left = [line for line in lines if line.split()[4] == f"{pid}"]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.005)


def half_made() -> list[str]:
    """What lies in the staging area under a name of something unfinished."""
    return [
        f"staged {path}" for part in ("bundles", "runtimes") for path in (stage_root() / part).glob(".*-*")
    ]


def until_gone(token: str, mark: str) -> list[str]:
    deadline = time.monotonic() + PATIENCE_S
    while (left := processes_of(token, mark)) and time.monotonic() < deadline:
        time.sleep(0.005)
    return left


def worker_begin(token: str, number: int) -> tuple[int, str]:
    """Fork a worker; its pid and the mark of its boxes."""
    CLOCK.phase = -1
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.write(writer, owner_mark().encode())
            os.close(writer)
            work(token, number)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(70)
    os.close(writer)
    mark = os.read(reader, 100).decode()
    os.close(reader)
    return pid, mark


def kill_in(pid: int, phase: int, after_s: float) -> int:
    """Kill the worker so long after it comes into the phase, or past it; the phase it was in by then."""
    deadline = time.monotonic() + PATIENCE_S * 3
    while CLOCK.phase < phase:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended or time.monotonic() > deadline:
            raise SystemExit(f"the worker came to no {PHASES[phase]}, status {status}")
        time.sleep(UNIT_S)
    time.sleep(after_s)
    met = CLOCK.phase
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        raise SystemExit(f"the worker ended by itself, status {status}")
    return met


def lengths(token: str, store: Store) -> tuple[list[float], list[bytes]]:
    """Seconds that each phase takes when nobody is killed, and what was played."""
    CLOCK.entered.clear()
    played = acts(store, play(token, 0, store))
    moments = [CLOCK.entered[phase] for phase in range(len(PHASES))] + [time.monotonic()]
    return [max(0.0, after - before) for before, after in itertools.pairwise(moments)], played


def main() -> int:
    kills, seed, token = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    level = require_level().level
    draw = random.Random(seed)
    store = Store()
    spans, before = lengths(token, store)
    janitor()
    clean_stage()
    mounts = Path("/proc/self/mountinfo").read_text()
    left: list[str] = []
    met: Counter[str] = Counter()
    cleaned: Counter[str] = Counter()
    for number in range(1, kills + 1):
        phase = draw.randrange(len(PHASES))
        pid, mark = worker_begin(token, number * 1000)
        met[PHASES[kill_in(pid, phase, draw.uniform(0, spans[phase]))]] += 1
        found = [] if level is Level.COMPAT else until_gone(token, mark)
        # What the janitor may find is no process, and nothing is left once it has been.
        cleaned.update(line.partition(" ")[0] + line.partition(" ")[2][:8] for line in janitor())
        cleaned.update("staged" for _ in clean_stage())
        found += [*until_gone(token, mark), *groups_of(mark), *locks_of(pid), *half_made()]
        if Path("/proc/self/mountinfo").read_text() != mounts:
            found.append("a mount")
        left += [f"kill {number} in {PHASES[phase]}: {remnant}" for remnant in found]
    after = acts(store, play(token, 1, store))
    said = {
        "uid": os.geteuid(),
        "level": level.name,
        "runtimes": [offer.name for offer in offers() if not offer.refusal and offer.name in SPEAKERS],
        "met": met,
        "cleaned": cleaned,
        "left": left,
        "is_same": before == after,
    }
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
