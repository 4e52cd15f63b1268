"""A worker host of a chaos test: namespaces of its own for network, processes and names, and a small disk."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import uuid

import psutil

from tests.chaos.stage import BRIDGE, NAMESPACES, START_S, WORK, Services, celery_argv, run
from tests.chaos.units import ROOT, Unit

DISK_MIB = 384
"""Size of the disk: the runtime takes 100 MiB, and a worker needs 64 MiB free."""
INIT = """
echo "$1" > /proc/sys/kernel/hostname
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip addr add "$2"/24 dev eth0
ip link set eth0 up
shift 2
exec "$@"
"""
"""Arguments: the name of the host, its address, then the command to run."""
LEFT = """
import os, django
django.setup()
from tests.chaos import left
left.main(os.environ["CHAOS_TOKEN"])
"""
"""Without arguments, since command lines with the token are searched for."""
QUEUES = {
    "netem": ("delay", "80ms", "40ms", "loss", "3%"),
    # Packets beyond the queue are lost.
    "tbf": ("rate", "256kbit", "burst", "3kb", "latency", "200ms"),
}
"""Slow queues of the kernel, with their options, best first."""


class Skipped(Exception):
    """This system cannot produce the fault; the message says why."""


class Host:
    """A host with one worker."""

    def __init__(self, services: Services, name: str, number: int, release: str, concurrency: int) -> None:
        self.name, self._link = name, f"v-{name}"
        self.disk = WORK / name
        self.disk.mkdir()
        run("mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=755", name, str(self.disk))
        folder = WORK / "units" / name
        self.clock = folder / "clock"
        boot_id = WORK / f"{name}.boot_id"
        boot_id.write_text(f"{uuid.UUID(int=number)}\n")
        words = ("worker", "-n", "tables-1@%h", "-Q", "tables,checks", "--concurrency", str(concurrency))
        self._env = {**services.environment(self.disk), "CHAOS_BOOT_ID": str(boot_id)}
        self.unit = Unit(
            folder,
            celery_argv(self.clock, *words, "--without-gossip", "--without-mingle"),
            self._env,
            release,
            leader=(*NAMESPACES, "sh", "-c", INIT, "init", name, f"10.44.0.{10 + number}"),
        )

    def start(self) -> None:
        self.unit.start()
        deadline = time.monotonic() + START_S
        while (pid := self._first_pid()) is None:
            assert time.monotonic() < deadline, f"{self.name} does not start"
            time.sleep(0.02)
        run("ip", "link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
        run("ip", "link", "set", self._link, "master", BRIDGE)
        run("ip", "link", "set", self._link, "up")

    def _first_pid(self) -> int | None:
        """Return the process id of the first process of the host."""
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.unit.pid).children():
                return child.pid
        return None

    def left(self, token: str) -> list[str]:
        """Return what ``tests.chaos.left`` finds on the host, whose worker has ended."""
        pid = self._first_pid()
        argv = ["nsenter", f"--target={pid}", "--mount", "--net", "--pid", "--uts", f"--wdns={ROOT}"]
        done = subprocess.run(
            [*argv, sys.executable, "-c", LEFT],
            env={**self._env, "CHAOS_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        problems: list[str] = json.loads(done.stdout)
        return problems

    def link_set(self, state: str) -> None:
        """Connect the host (``up``) or cut it off (``down``)."""
        run("ip", "link", "set", self._link, state)

    def slow(self) -> str:
        """Delay and lose packets to the host, and return how."""
        for name, options in QUEUES.items():
            try:
                run("tc", "qdisc", "add", "dev", self._link, "root", name, *options)
            except AssertionError:
                continue
            return " ".join((name, *options))
        raise Skipped(f"the kernel has none of {', '.join(QUEUES)}")

    def fast(self) -> None:
        run("tc", "qdisc", "del", "dev", self._link, "root")
