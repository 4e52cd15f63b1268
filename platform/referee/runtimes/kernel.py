"""The archive of the compiled kernel: one artefact, identified by its hash, equal on all workers.

A zip of ``kernel.json``, with machine and Python version, and the files of ``engine.kernel``. Compiled
modules come without source, so Python cannot silently fall back to the slow twin.

Source: docs/runtimes.md#python-with-the-kernel-python2; docs/decisions/0015-the-kernel-is-an-artefact.md.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import io
import json
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

from referee.contract import FaultCause
from referee.errors import PlatformFault, SandboxUnavailable
from referee.runtimes import elf

NAME = "python/2"
"""Runtime that uses the archive."""
FORMAT = "rensho-kernel/1"
DESCRIPTION = "kernel.json"
FOLDER = "kernel"
SOURCES = (".py", ".pxd")
"""File suffixes of a kernel's sources."""
MAX_BYTES = 64 << 20
"""Maximum size of all files of an archive together, unpacked."""
CPU_FLAGS: dict[str, frozenset[str]] = {
    "x86_64": frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
    "aarch64": frozenset(),
}
"""Machine -> processor features that its compiled kernel needs, by Linux names. Those of x86-64 are the ones
that x86-64-v2 adds. Source: x86-64 psABI, levels.
"""

SOURCE_HASHES = re.compile(rb"rensho-made-of:((?: [A-Za-z0-9_]+\.(?:py|pxd)=[0-9a-f]{64})+);")
"""Names and hashes of the sources, embedded in the bytes of each compiled module."""

_MEMBER = re.compile(rf"{FOLDER}/(?:[A-Za-z_][A-Za-z0-9_]*/)?[A-Za-z_][A-Za-z0-9_.-]*\.(?:py|so)")
_UNDATED = (1980, 1, 1, 0, 0, 0)


class Kernel(NamedTuple):
    machine: str
    suffix: str
    """File suffix of compiled modules, which contains the Python version."""
    sources_sha256: str
    """Hash of the sources: equal for two builds of one release."""
    compiled: tuple[str, ...]
    """Files of compiled modules; empty for the twin."""
    files: dict[str, bytes]
    """Content by path below ``engine/kernel``."""


def own_suffix() -> str:
    return importlib.machinery.EXTENSION_SUFFIXES[0]


def kernel_folder() -> Path:
    """Return the folder of the installed kernel, or raise ``SandboxUnavailable``."""
    spec = importlib.util.find_spec("engine")
    folder = Path(spec.origin).parent / FOLDER if spec is not None and spec.origin else None
    if folder is None or not (folder / "__init__.py").is_file():
        raise SandboxUnavailable(
            f"runtime {NAME}: this installation has no kernel", "Install rensho completely."
        )
    return folder


def pack(folder: Path) -> bytes:
    """Return the archive of the kernel in this folder; equal files give equal bytes."""
    suffix = own_suffix()
    paths = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    compiled = sorted(name for name in paths if name.endswith(suffix))
    replaced = {f"{name.removesuffix(suffix)}.py" for name in compiled}
    sources = {name: path.read_bytes() for name, path in paths.items() if name.endswith(".py")}
    files = {name: data for name, data in sources.items() if name not in replaced}
    files |= {name: paths[name].read_bytes() for name in compiled}
    description = {
        "format": FORMAT,
        "machine": elf.host_machine(),
        "suffix": suffix,
        "sources_sha256": sources_sha256(folder),
        "compiled": compiled,
    }
    members = {f"{FOLDER}/{name}": data for name, data in sorted(files.items())}
    members[DESCRIPTION] = json.dumps(description, indent=1, sort_keys=True).encode() + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _UNDATED)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def unpack(data: bytes) -> Kernel:
    """Read an archive into memory without executing any of it, or raise ``PlatformFault``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > MAX_BYTES:
                raise ValueError(f"it holds over {MAX_BYTES >> 20} MiB")
            read = {member.filename: archive.read(member) for member in members}
        description = json.loads(read.pop(DESCRIPTION))
        if description["format"] != FORMAT:
            raise ValueError(f"its format is {description['format']!r}")
        strange = [name for name in read if not _MEMBER.fullmatch(name)]
        if strange:
            raise ValueError(f"{strange[0]!r} is not a file of a kernel")
        files = {name.removeprefix(f"{FOLDER}/"): content for name, content in read.items()}
        compiled = tuple(description["compiled"])
        if sorted(compiled) != sorted(name for name in files if name.endswith(".so")):
            raise ValueError("its compiled modules differ from its list")
        machine, suffix = str(description["machine"]), str(description["suffix"])
        return Kernel(machine, suffix, str(description["sources_sha256"]), compiled, files)
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        KeyError,
        TypeError,
        EOFError,
        NotImplementedError,
    ) as error:
        raise PlatformFault(f"the artefact of {NAME} cannot be read: {error}", FaultCause.RUNTIME) from error


def require_host(kernel: Kernel) -> None:
    """Raise ``SandboxUnavailable`` for the twin, or another machine, Python version or old processor."""
    if not kernel.compiled:
        raise SandboxUnavailable(
            f"runtime {NAME}: its artefact holds no compiled kernel",
            "Where there is a C compiler run make setup, then manage.py runtime_publish.",
        )
    here = elf.host_machine()
    if here not in CPU_FLAGS:
        raise SandboxUnavailable(
            f"runtime {NAME} is for {' or '.join(CPU_FLAGS)}, this is {here}", "Do without it."
        )
    if kernel.machine != here:
        raise SandboxUnavailable(
            f"runtime {NAME}: its kernel is for {kernel.machine}, this is {here}",
            f"Play its tables on {kernel.machine}, or run manage.py runtime_publish on {here}.",
        )
    if kernel.suffix != own_suffix():
        raise SandboxUnavailable(
            f"runtime {NAME}: modules of its kernel end in {kernel.suffix}, of this Python in {own_suffix()}",
            "Run all workers on one version of Python, and manage.py runtime_publish on one of them.",
        )
    lacking = sorted(CPU_FLAGS[here] - cpu_flags())
    if lacking:
        raise SandboxUnavailable(
            f"runtime {NAME} needs a processor with {', '.join(lacking)}",
            "Use a newer processor, or have the virtual machine show its own features.",
        )


def require_current(folder: Path) -> None:
    """Raise ``SandboxUnavailable`` for compiled modules that do not match their sources. The twin passes."""
    if step := outdated(folder):
        raise SandboxUnavailable(
            f"runtime {NAME}: {step}", "Run make setup, which compiles it, then manage.py runtime_publish."
        )


def outdated(folder: Path) -> str:
    """Return how the compiled modules differ from the sources; empty if they match or nothing is compiled."""
    compiled = compiled_modules(folder)
    for name in compiled:
        match = SOURCE_HASHES.search((folder / name).read_bytes())
        if match is None:
            return f"{name} does not contain the hashes of its sources"
        for entry in match[1].decode().split():
            source, _, sha256 = entry.partition("=")
            path = folder / source
            if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
                return f"{name} was compiled from another version of {source}"
    typed = (path.stem for path in sorted(folder.glob("*.pxd")))
    lacking = [name for name in typed if compiled and f"{name}{own_suffix()}" not in compiled]
    return f"{lacking[0]}.py is not compiled, and other modules are" if lacking else ""


def cpu_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return frozenset()
    flags_line = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(flags_line.partition(":")[2].split())


def sources_sha256(folder: Path) -> str:
    """Return the hash over the kernel's source files, for the archive."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)
    digests = (
        (str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths
    )
    return hashlib.sha256("".join(f"{name}\0{digest}\n" for name, digest in digests).encode()).hexdigest()


def compiled_modules(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(f"*{own_suffix()}"))
