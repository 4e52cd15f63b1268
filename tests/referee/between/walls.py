"""Takes single walls away, so that a channel can be seen to carry: the positive controls."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import platform
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from referee.sandbox import chain, launch, seccomp, stdio
from referee.sandbox.uids import LAST_UID, UidLease
from tests.referee.between.setting import Setting

DISK = Path("/var/tmp")
"""A folder on a disk, whatever the staging area is."""
IMAGE_BYTES = 24 << 20
OTHER_CALLS = {
    "x86_64": {
        "flock": 73,
        "futex": 202,
        "getsockopt": 55,
        "pipe": 22,
        "pipe2": 293,
        "socketpair": 53,
        "getrusage": 98,
        "inotify_add_watch": 254,
        "inotify_init1": 294,
        "mincore": 27,
        "preadv2": 327,
        "sched_setaffinity": 203,
        "sendmsg": 46,
        "sysinfo": 99,
        "unshare": 272,
        "utimensat": 280,
    },
    "aarch64": {
        "flock": 32,
        "futex": 98,
        "getsockopt": 209,
        "pipe2": 59,
        "socketpair": 199,
        "getrusage": 165,
        "inotify_add_watch": 27,
        "inotify_init1": 26,
        "mincore": 232,
        "preadv2": 286,
        "sched_setaffinity": 122,
        "sendmsg": 211,
        "sysinfo": 179,
        "unshare": 97,
        "utimensat": 88,
    },
}[platform.machine()]
"""Numbers of calls that the table of allowed calls lacks, or has by argument only."""


def allowing(*calls: str) -> Callable[[Setting], contextlib.AbstractContextManager[None]]:
    """These calls are allowed, whatever their arguments."""
    known = {**seccomp.ALLOWED[platform.machine()], **OTHER_CALLS}
    numbers = frozenset(known[call] for call in calls if call in known)

    @contextlib.contextmanager
    def remove(setting: Setting) -> Iterator[None]:
        program = functools.partial(seccomp.filter_program, also_allowed=numbers)
        with mock.patch.object(launch, "filter_program", program):
            yield

    return remove


@contextlib.contextmanager
def on_disk(setting: Setting) -> Iterator[None]:
    """Bundle and runtime lie on a disk, as the staging area did before it was in memory."""
    with tempfile.TemporaryDirectory(prefix="rensho-between-", dir=DISK) as name:
        place = Path(name)
        place.chmod(0o755)
        shutil.copytree(setting.bundle, place / "bundle", symlinks=True)
        subprocess.run(
            ["cp", "-a", "--no-preserve=ownership", str(setting.runtime.root), str(place / "tree")],
            check=True,
        )
        with _changed(
            setting, bundle=place / "bundle", runtime=setting.runtime._replace(root=place / "tree")
        ):
            yield


@contextlib.contextmanager
def on_a_disk_with_old_times(setting: Setting) -> Iterator[None]:
    """As ``on_disk``; when a pair begins, the files of the bundle were last read long ago."""
    with on_disk(setting):
        files = [path for path in setting.bundle.rglob("*") if path.is_file()]

        def refresh() -> None:
            for path in files:
                os.utime(path, (1_600_000_000, 1_600_000_000))

        with _changed(setting, refresh=refresh):
            yield


@contextlib.contextmanager
def on_a_cold_disk(setting: Setting) -> Iterator[None]:
    """The bundle lies on a disk of its own, of which nothing is in memory when a pair begins. Takes root."""
    with tempfile.TemporaryDirectory(prefix="rensho-between-", dir=DISK) as name:
        place = Path(name)
        place.chmod(0o755)
        image, mounted = place / "image", place / "disk"
        mounted.mkdir()
        with image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        _run("mkfs.ext4", "-q", "-F", str(image))
        _run("mount", "-o", "loop,strictatime", str(image), str(mounted))
        shutil.copytree(setting.bundle, mounted / "bundle", symlinks=True)

        def refresh() -> None:
            _run("umount", str(mounted))
            _run("mount", "-o", "loop,strictatime", str(image), str(mounted))

        try:
            with _changed(setting, bundle=mounted / "bundle", refresh=refresh):
                yield
        finally:
            _run("umount", str(mounted))


def _run(*command: str) -> None:
    for attempt in range(50):
        # Programs of the administrator's, too.
        path = {**os.environ, "PATH": f"{os.defpath}:/sbin:/usr/sbin"}
        done = subprocess.run(command, capture_output=True, text=True, env=path)
        if done.returncode == 0:
            return
        if command[0] != "umount":
            break
        # The last mount of a bot that has just ended goes a moment later.
        _pause(0.02 * (attempt + 1))
    raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


def _pause(seconds: float) -> None:
    import time

    time.sleep(seconds)


@contextlib.contextmanager
def writable_bundle(setting: Setting) -> Iterator[None]:
    """The bundle is not mounted read-only."""
    with _other_words(lambda words: _after(words, "--ro-bind", chain.BUNDLE_INSIDE, "--bind")):
        yield


@contextlib.contextmanager
def without_user_namespace_lock(setting: Setting) -> Iterator[None]:
    """Bots may make user namespaces."""
    with _other_words(lambda words: [word for word in words if word != "--disable-userns"]):
        yield


@contextlib.contextmanager
def one_scratch_disk(setting: Setting) -> Iterator[None]:
    """All bots have the same scratch disk. As root it is a small one of its own."""
    with tempfile.TemporaryDirectory(prefix="rensho-between-", dir=DISK) as name:
        shared = Path(name)
        if os.geteuid() == 0:
            _run("mount", "-t", "tmpfs", "-o", "size=8m,nr_inodes=4096", "tmpfs", str(shared))
        shared.chmod(0o777)
        whole = chain.command_line

        def command_line(made: chain.LaunchSpec, *files: Path) -> list[str]:
            # Each bot's own disk is mounted at a folder that it does not see.
            return whole(made._replace(mount_point=shared), *files)

        try:
            with mock.patch.object(chain, "command_line", command_line):
                yield
        finally:
            if os.geteuid() == 0:
                _run("umount", str(shared))


@contextlib.contextmanager
def one_uid(setting: Setting) -> Iterator[None]:
    """All bots have the same user, and the bundle belongs to it; of an ordinary user they have already."""
    if os.geteuid() != 0:
        yield
        return

    def lease() -> UidLease:
        return UidLease(LAST_UID, os.open(os.devnull, os.O_RDONLY))

    with tempfile.TemporaryDirectory(prefix="rensho-between-", dir=DISK) as name:
        place = Path(name)
        place.chmod(0o755)
        shutil.copytree(setting.bundle, place / "bundle", symlinks=True)
        for path in (place / "bundle").rglob("*"):
            os.chown(path, LAST_UID, LAST_UID)
        with mock.patch.object(launch, "lease_uid", lease), _changed(setting, bundle=place / "bundle"):
            yield


def worker_limit(which: int, most: int) -> Callable[[Setting], contextlib.AbstractContextManager[None]]:
    """The worker's user may have so few of something that two bots come near the limit."""

    @contextlib.contextmanager
    def remove(setting: Setting) -> Iterator[None]:
        before = resource.getrlimit(which)
        resource.setrlimit(which, (most, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(which, before)

    return remove


@contextlib.contextmanager
def pipes_allowed(setting: Setting) -> Iterator[None]:
    """Bots may make pipes and pairs of sockets, as in binary/1 and node/1."""
    with _changed(setting, runtime=setting.runtime._replace(makes_pipes=True)):
        yield


@contextlib.contextmanager
def unnamed_streams(setting: Setting) -> Iterator[None]:
    """Standard input, output and error are pipes of the kernel's own."""

    def pair(self: stdio.StdioPipes, folder: Path) -> tuple[int, int]:
        ends = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._open += ends
        return ends

    with mock.patch.object(stdio.StdioPipes, "_pair", pair):
        yield


@contextlib.contextmanager
def many_descriptors(setting: Setting) -> Iterator[None]:
    """A bot may have many descriptors."""
    with _changed(setting, limits=dataclasses.replace(setting.limits, open_files=600)):
        yield


@contextlib.contextmanager
def one_core(setting: Setting) -> Iterator[None]:
    """Two tables run on one core."""
    with _changed(setting, shares_core=True):
        yield


@contextlib.contextmanager
def _changed(setting: Setting, **changes: object) -> Iterator[None]:
    before = {name: getattr(setting, name) for name in changes}
    for name, value in changes.items():
        setattr(setting, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(setting, name, value)


def _other_words(change: Callable[[list[str]], list[str]]) -> contextlib.AbstractContextManager[object]:
    """The command line of the chain, changed."""
    whole = chain.command_line
    return mock.patch.object(chain, "command_line", lambda *made: change(whole(*made)))


def _after(words: list[str], option: str, target: str, other: str) -> list[str]:
    """The words with the option of this target replaced."""
    at = next(
        number
        for number, word in enumerate(words)
        if word == option and words[number + 2 : number + 3] == [target]
    )
    return [*words[:at], other, *words[at + 1 :]]
