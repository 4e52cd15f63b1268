"""Builds and hashes a fixed tree: copies files, resolves shared libraries, computes the digest."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from referee.errors import SandboxUnavailable

LDD_TIMEOUT_S = 30.0
_RESOLVED = re.compile(r"^\s*(\S+) => (/\S+) \(0x", re.MULTILINE)
_LOADER = re.compile(r"^\s*(/\S+/ld-\S+) \(0x", re.MULTILINE)

FileHash = tuple[int, str]
"""Permission bits and hex SHA-256 of one file."""


def copy_file(source: Path, target: Path) -> None:
    """Copy one file and follow links; mode 0755 if its owner may execute it, else 0644."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.stat().st_mode & stat.S_IXUSR else 0o644)


def copy_folder(source: Path, target: Path, *, skip: Callable[[str], bool]) -> None:
    """Copy a folder; ``skip`` gets each member's relative path, folders with a trailing slash."""
    for where, subfolders, files in os.walk(source):
        below = os.path.relpath(where, source)
        prefix = "" if below == "." else below + "/"
        subfolders[:] = sorted(name for name in subfolders if not skip(f"{prefix}{name}/"))
        for name in sorted(files):
            if not skip(prefix + name):
                copy_file(Path(where, name), target / prefix / name)


def link_folder(source: Path, target: Path) -> None:
    shutil.copytree(source, target, copy_function=os.link, symlinks=True)


def open_up(root: Path) -> None:
    """Make the tree readable for everybody and writable only for its owner, regardless of the umask."""
    for where, _, files in os.walk(root):
        Path(where).chmod(0o755)
        for name in files:
            file = Path(where, name)
            file.chmod(0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644)


def shared_libraries(binaries: Iterable[Path]) -> dict[str, Path]:
    """Return every shared library that these binaries load, by soname; the dynamic loader by its full path.

    Raise ``SandboxUnavailable`` if ldd or a library is missing.
    """
    libraries: dict[str, Path] = {}
    for binary in binaries:
        try:
            listing = subprocess.run(
                ["/usr/bin/ldd", str(binary)],
                capture_output=True,
                text=True,
                timeout=LDD_TIMEOUT_S,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxUnavailable(
                f"ldd {binary}: {error}", "Install libc-bin, which brings ldd."
            ) from error
        if "not found" in listing.stdout:
            missing = next(line.strip() for line in listing.stdout.splitlines() if "not found" in line)
            raise SandboxUnavailable(
                f"{binary} lacks a library: {missing}", "Install the package that has it."
            )
        libraries |= {soname: Path(path) for soname, path in _RESOLVED.findall(listing.stdout)}
        libraries |= {path: Path(path) for path in _LOADER.findall(listing.stdout)}
    return libraries


def hash_tree(root: Path, known: dict[str, FileHash] | None = None) -> dict[str, FileHash]:
    """Return permission bits and hash of every file below ``root``, by path; ``known`` is not read again."""
    hashes = dict(known or {})
    for where, _, files in os.walk(root):
        for name in files:
            file = Path(where, name)
            path = str(file.relative_to(root))
            if path not in hashes:
                with file.open("rb") as stream:
                    digest = hashlib.file_digest(stream, "sha256").hexdigest()
                hashes[path] = (stat.S_IMODE(file.stat().st_mode), digest)
    return hashes


def tree_digest(files: dict[str, FileHash]) -> str:
    """Return a hex SHA-256 over path, mode and hash of every file, sorted by path."""
    lines = (f"{path}\0{mode:o}\0{digest}\n" for path, (mode, digest) in sorted(files.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
