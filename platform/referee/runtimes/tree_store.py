"""Storage of fixed trees: builds, locks and removes them.

A tree is built in a temporary folder and renamed into place. A process that uses a tree holds a shared lock
on its ``digest`` until it ends, so no tree is removed while a bot runs in it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.runtimes import elf, gate, tree
from referee.runtimes.stage import (
    folder_lock,
    remove_abandoned,
    safe_folder,
    scratch_folder,
    sync_file_system,
)

FOLDER = "runtimes"
BUILDING = ".building-"
REMOVING = ".removing-"
KEEP_S = 7 * 24 * 3600.0
"""Seconds until an unused tree is removed."""
_ATTEMPTS = 3

_locks: dict[Path, int] = {}
"""Descriptors, each with a shared lock, open until this process ends."""


class StoredTree(NamedTuple):
    root: Path
    digest: str


Build = Callable[[Path], None]


def provide(stage: Path, name: str, key: str, build: Build) -> StoredTree:
    """Return the tree of runtime ``name`` for the sources identified by ``key``, locked against removal.

    Built if it is missing. ``SandboxUnavailable`` has the remedy.
    """
    folder = stage / FOLDER
    ready = folder / f"{name.replace('/', '-')}-{key}"
    try:
        for _ in range(_ATTEMPTS):
            digest = _lock_shared(ready)
            if digest is not None:
                return StoredTree(ready / "tree", digest)
            safe_folder(folder)
            with folder_lock(folder, f"runtime {name}"):
                if not ready.is_dir():
                    build_atomically(ready, lambda aside: _build_and_digest(aside, build))
                    _clean(folder)
        raise OSError(f"{ready.name} is removed again and again")
    except OSError as error:
        remedy = "Free space, or let a user build it who may write there, or set RENSHO_STAGE."
        raise SandboxUnavailable(f"runtime {name} cannot be built in {folder}: {error}", remedy) from error


def build_atomically(target: Path, build: Build) -> None:
    """Build in a temporary folder and rename it to ``target``, which is therefore never incomplete."""
    with scratch_folder(target.parent, BUILDING) as aside:
        build(aside)
        tree.open_up(aside)
        sync_file_system(aside)
        aside.rename(target)


def clean(stage: Path) -> list[str]:
    """Remove trees unused for ``KEEP_S`` and folders of killed processes; return the names.

    Removes no tree in use, and nothing while another process builds.
    """
    folder = stage / FOLDER
    if not folder.is_dir():
        return []
    try:
        with folder_lock(folder, "runtimes", patience_s=0):
            return _clean(folder)
    except (SandboxUnavailable, OSError):
        return []


def touch_base(base: Path) -> None:
    _touch(base)


def tree_key(*parts: str) -> str:
    """Return a short name for the sources of a tree, including its gate."""
    parts = (*parts, hashlib.sha256(gate.program(elf.host_machine())).hexdigest())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def file_stamp(file: Path) -> str:
    """Return a text that changes when a file is replaced; reads only its metadata."""
    status = file.stat()
    return f"{file} {status.st_size} {status.st_mtime_ns}"


def shell(name: str) -> Path:
    """Return a shell, for bots that start programs through one, or raise ``SandboxUnavailable``."""
    for path in ("/usr/bin/dash", "/bin/dash", "/bin/sh"):
        if Path(path).exists():
            return Path(path)
    raise SandboxUnavailable(f"runtime {name}: no shell", "Install dash.")


def add_gate(root: Path) -> None:
    """Add the program that starts bots in this tree.

    Raise ``SandboxUnavailable`` if this machine is not supported.
    """
    target = root / gate.PATH.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gate.program(elf.host_machine()))
    target.chmod(0o755)


def add_programs(root: Path, programs: dict[str, Path]) -> None:
    """Add programs, by their path in the tree, with every shared library they load."""
    for inside, source in programs.items():
        tree.copy_file(source, root / inside.lstrip("/"))
    add_libraries(root, tree.shared_libraries(programs.values()))


def add_libraries(root: Path, libraries: dict[str, Path], *, skip_below: Iterable[Path] = ()) -> None:
    """Copy shared libraries, by soname, next to the C library, where the loader finds them."""
    beside = libraries["libc.so.6"].parent if "libc.so.6" in libraries else Path("/lib")
    for name, source in libraries.items():
        if any(source.is_relative_to(folder) for folder in skip_below):
            continue
        path = Path(name) if name.startswith("/") else beside / name
        inside = path if path.is_relative_to("/usr") else Path("/usr") / path.relative_to("/")
        tree.copy_file(source, root / inside.relative_to("/"))
    for folder in ("lib", "lib64"):
        (root / "usr" / folder).mkdir(parents=True, exist_ok=True)


def _build_and_digest(aside: Path, build: Build) -> None:
    build(aside)
    if not (aside / "digest").exists():
        root = aside / "tree"
        add_gate(root)
        tree.open_up(root)
        (aside / "digest").write_text(tree.tree_digest(tree.hash_tree(root)) + "\n")


def _lock_shared(ready: Path) -> str | None:
    """Lock a tree and return its digest; None if it is missing or being removed."""
    digest = ready / "digest"
    lock_fd = _locks.get(ready)
    if lock_fd is not None:
        if _is_at(lock_fd, digest):
            return _text(lock_fd)
        # The staging area was emptied manually.
        os.close(_locks.pop(ready))
    try:
        fd = os.open(digest, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    if not _is_at(fd, digest):
        os.close(fd)
        return None
    _touch(fd)
    _locks[ready] = fd
    return _text(fd)


def _is_at(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _text(fd: int) -> str:
    return os.pread(fd, 100, 0).decode().strip()


def _touch(target: int | Path) -> None:
    # This user may not be allowed to touch files of root; the lock protects the tree anyway.
    with contextlib.suppress(OSError):
        os.utime(target)


def _clean(folder: Path) -> list[str]:
    """Do the work of ``clean``; the caller holds the lock of the folder, so no process builds."""
    removed = [*remove_abandoned(folder, BUILDING), *remove_abandoned(folder, REMOVING)]
    before = time.time() - KEEP_S
    for ready in sorted(folder.glob("[!.]*")):
        with contextlib.suppress(OSError):
            if _remove_if_unused(ready, before):
                removed.append(ready.name)
    return removed


def _remove_if_unused(ready: Path, before: float) -> bool:
    """Remove a tree, or a base of trees, unless it is locked or was used recently."""
    is_tree = (ready / "digest").exists()
    fd = os.open(ready / "digest" if is_tree else ready, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_mtime >= before:
            return False
        # Renamed first: a tree in its place is always complete.
        removing = ready.with_name(REMOVING + ready.name)
        ready.rename(removing)
        shutil.rmtree(removing)
        return True
    except BlockingIOError:
        _touch(fd)
        return False
    finally:
        os.close(fd)
