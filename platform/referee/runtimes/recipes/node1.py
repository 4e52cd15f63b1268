"""Recipe of ``node/1``: this machine's node, its libraries and a shell. No npm and no packages."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from referee.errors import SandboxUnavailable
from referee.runtimes import tree, tree_store
from referee.runtimes.recipe import Recipe, Runtime, StartTest

RECIPE = 1
"""Increment with every change of this file that changes the content of a tree."""

NAME = "node/1"
SETTING = "RENSHO_NODE"
PROGRAM_PATHS = ("/usr/bin/node", "/usr/local/bin/node")
MIN_VERSION = 18
INTERPRETER = "/usr/bin/node"
FLAGS = (
    # One thread runs the bot and collects garbage. Other threads would share the single core with it, and
    # the CPU time of a decision would depend on their timing.
    "--single-threaded",
    "--v8-pool-size=1",
    # Reproducible cost of look-ups; JavaScript defines the order of keys.
    "--hash-seed=1",
    "--max-semi-space-size=8",
    "--no-addons",
    "--no-global-search-paths",
)
HEAP_OPTION = "--max-old-space-size="
"""In MiB. Without it node sizes its heap by the machine's memory and collects garbage too late."""
ENV = {"MALLOC_ARENA_MAX": "2"}
OWN_MEMORY_BYTES = 128 << 20
"""Memory of node itself: about 45 MiB at rest, its machine code, and the young generation of the heap."""
_SANDBOXED = Runtime(
    NAME,
    digest="",
    root=Path("/"),
    argv=(INTERPRETER, *FLAGS),
    libraries=(),
    env=ENV,
    takes_folder=False,
    single_process=False,
    needs_cgroup=True,
    own_memory_bytes=OWN_MEMORY_BYTES,
    heap_option=HEAP_OPTION,
)

_TIMEOUT_S = 20.0
_VERSION = re.compile(r"v(\d+\.\d+\.\d+\S*)\s*")
_ELF_MAGIC = b"\x7fELF"
_PART = re.compile(rb"/usr/(?:local/)?share/nodejs/[\w./@+-]+\.js(?=\0)")
"""Files of node that some distributions install separately, by the paths embedded in it."""
_REMEDY = (
    f"Install nodejs {MIN_VERSION} or newer (Debian: apt-get install nodejs), or set {SETTING} to the "
    "program."
)


def provide(stage: Path) -> Runtime:
    """Return the runtime with this machine's node, built if missing, or raise ``SandboxUnavailable``."""
    program = host_program()
    libraries = tree.shared_libraries([program, tree_store.shell(NAME)])
    sources = [program, tree_store.shell(NAME), *libraries.values()]
    key = tree_store.tree_key(f"{RECIPE}", *sorted({tree_store.file_stamp(source) for source in sources}))
    stored = tree_store.provide(stage, NAME, key, lambda aside: _build(aside / "tree", program))
    versions = {"node": _version(program)}
    return _SANDBOXED._replace(digest=stored.digest, root=stored.root, versions=versions)


def host() -> Runtime:
    """Return the runtime with this machine's node; raises as ``host_program`` does."""
    program = host_program()
    return _SANDBOXED._replace(argv=(str(program), *FLAGS), versions={"node": _version(program)})


def host_program() -> Path:
    """Return this machine's node as a real file: from the setting, else the system's.

    Raise ``SandboxUnavailable`` if there is none of at least version ``MIN_VERSION``.
    """
    named = os.environ.get(SETTING)
    if named:
        return _usable(Path(named))
    refusals: list[SandboxUnavailable] = []
    for place_to_look in PROGRAM_PATHS:
        if Path(place_to_look).exists():
            try:
                return _usable(Path(place_to_look))
            except SandboxUnavailable as refusal:
                refusals.append(refusal)
    if refusals:
        raise refusals[0]
    raise SandboxUnavailable(f"runtime {NAME}: no node at {' or '.join(PROGRAM_PATHS)}", _REMEDY)


def _usable(path: Path) -> Path:
    program = path.resolve()
    try:
        with program.open("rb") as file:
            is_program = file.read(len(_ELF_MAGIC)) == _ELF_MAGIC and os.access(program, os.X_OK)
    except OSError as error:
        raise SandboxUnavailable(f"runtime {NAME}: cannot read {path}: {error.strerror}", _REMEDY) from error
    if not path.is_absolute() or not is_program:
        step = f"runtime {NAME}: {path} is not the node program itself, by its full path"
        raise SandboxUnavailable(step, f"Set {SETTING} to the program that a script there starts.")
    version = int(_version(program).partition(".")[0])
    if version < MIN_VERSION:
        raise SandboxUnavailable(f"runtime {NAME}: {path} is of version {version}", _REMEDY)
    return program


def _version(program: Path) -> str:
    try:
        done = subprocess.run(
            [str(program), "--version"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"runtime {NAME}: {program} does not run: {error}", _REMEDY) from error
    match = _VERSION.fullmatch(done.stdout)
    if match is None:
        output = (done.stderr or done.stdout).strip()[-200:]
        raise SandboxUnavailable(f"runtime {NAME}: {program} printed no version but {output!r}", _REMEDY)
    return match[1]


def _build(root: Path, program: Path) -> None:
    tree_store.add_programs(root, {INTERPRETER: program, "/usr/bin/sh": tree_store.shell(NAME)})
    for part in sorted(_parts(root)):
        if part.is_file():
            tree.copy_file(part, root / part.relative_to("/"))


def _parts(root: Path) -> set[Path]:
    names: set[Path] = set()
    for file in (root / INTERPRETER.lstrip("/"), *root.rglob("libnode.so*")):
        names |= {Path(name.decode()) for name in _PART.findall(file.read_bytes())}
    return names


RUNTIME = Recipe(
    runtime=_SANDBOXED,
    provide=provide,
    host=host,
    entry_suffixes=(".js", ".mjs", ".cjs"),
    trial=StartTest(
        "main.js",
        b'process.stdin.resume();\nconsole.log("here");\n',
        f"Install another build of node, or set {SETTING}",
    ),
)
