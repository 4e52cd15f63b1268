"""Recipe of ``python/1``: this machine's interpreter and standard library, numpy, engine, bots.sdk.

Built in two layers: a base that changes with the interpreter or numpy, and the project's packages on top.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from referee.errors import SandboxUnavailable
from referee.runtimes import elf, gate, tree, tree_store
from referee.runtimes.recipe import Recipe, Runtime
from referee.runtimes.recipes.python1 import own_pipes

RECIPE = 3
"""Increment with every change of this file that changes the content of a tree."""

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
LIBRARIES = "/usr/lib/rensho"
INTERPRETER = f"/usr/bin/python{VERSION}"
LAUNCHER = Path(__file__).with_name("launcher.py")
COMPILED_LAUNCHER = f"{LIBRARIES}/__pycache__/launcher.{sys.implementation.cache_tag}.pyc"
"""Executed directly: Python would recompile a script at every start, a thirtieth of the start time."""

# Not -I: the platform sets the whole environment, and the fixed hash seed makes the iteration order of
# sets reproducible.
FLAGS = ("-s", "-S", "-P", "-B", "-X", "utf8")
ENV = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}

COMPILE_TIMEOUT_S = 300.0
NAME = "python/1"
_SANDBOXED = Runtime(
    NAME,
    digest="",
    root=Path("/"),
    argv=(INTERPRETER, *FLAGS, COMPILED_LAUNCHER),
    libraries=(LIBRARIES,),
    env=ENV,
    makes_pipes=False,
)

_STDLIB_UNWANTED = re.compile(
    r"(.*/)?(__pycache__|tests?|idle_test)/"
    r"|(dist-packages|site-packages|idlelib|ensurepip|tkinter|turtledemo|lib2to3|distutils|pydoc_data|curses)/"
    r"|(__phello__|venv)/|config-[^/]*/|(turtle|pydoc|sitecustomize)\.py|EXTERNALLY-MANAGED"
    r"|lib-dynload/(_test|_ctypes_test|_xxtest|xxlimited|_tkinter|_curses|_dbm|_gdbm|nis|readline|ossaudiodev|_crypt)"
    r".*|.*\.(pyc|a|exe|whl)"
)
_NUMPY_UNWANTED = re.compile(
    r"(.*/)?(__pycache__|tests|include|lib/pkgconfig)/|(f2py|_pyinstaller|testing)/|.*\.(pyc|pyi|pxd|pyx|a|h)"
)
_SOURCE_UNWANTED = re.compile(r"(.*/)?__pycache__/|kernel/|.*\.(pyc|so)|(?!.*\.py$).*[^/]")
"""Includes the kernel, which belongs to ``python/2``."""


def provide(stage: Path) -> Runtime:
    """Return the runtime with this machine's interpreter, numpy and packages, built if missing.

    ``SandboxUnavailable`` names the package to install.
    """
    stored = provide_tree(stage, NAME)
    return _SANDBOXED._replace(digest=stored.digest, root=stored.root, versions=tree_versions())


def provide_tree(
    stage: Path, name: str, added_key: str = "", added: Mapping[str, bytes] = MappingProxyType({})
) -> tree_store.StoredTree:
    """Return the tree of this runtime, with the files ``added`` (``added_key``) below ``LIBRARIES``.

    ``SandboxUnavailable`` names the package to install.
    """
    ours = _our_packages()
    base_key = _base_key()
    base = stage / tree_store.FOLDER / f"python-1-base-{base_key[:16]}"

    def build(aside: Path) -> None:
        if not base.is_dir():
            tree_store.build_atomically(base, _build_base)
        _build(aside, base, ours, added)

    parts = [base_key, _source_key(ours), *filter(None, [added_key])]
    stored = tree_store.provide(stage, name, tree_store.tree_key(*parts), build)
    tree_store.touch_base(base)
    return stored


def host() -> Runtime:
    """Return this interpreter with the folders from which this process imports engine, bots and numpy."""
    folders = dict.fromkeys(str(_package(name).parent) for name in ("engine", "bots", "numpy"))
    return _SANDBOXED._replace(
        argv=(sys.executable, *FLAGS, str(LAUNCHER)),
        libraries=tuple(folders),
        versions=_versions(Path(sys.executable)),
    )


def tree_versions() -> dict[str, str]:
    """Return the versions of the interpreter and numpy from which trees are built, or raise
    ``SandboxUnavailable``.
    """
    return _versions(_interpreter()[0])


def _versions(interpreter: Path) -> dict[str, str]:
    """Return the versions of an interpreter, as it reports it, and of numpy, as its files state it."""
    script = (
        "import platform, runpy, sys; "
        "print(platform.python_version(), runpy.run_path(sys.argv[1])['version'])"
    )
    numpy = _package("numpy") / "version.py"
    done = _run([str(interpreter), "-I", "-S", "-c", script, str(numpy)], "reading its version")
    return dict(zip(("python", "numpy"), done.split(), strict=True))


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SandboxUnavailable(
            f"runtime python/1: package {name!r} cannot be found", "Install rensho completely."
        )
    return Path(spec.origin).parent


def _interpreter() -> tuple[Path, Path]:
    """Return the interpreter to copy and its standard library: the system's if it has the same version."""
    system = Path(f"/usr/bin/python{VERSION}"), Path(f"/usr/lib/python{VERSION}")
    if system[0].exists() and (system[1] / "os.py").exists():
        return system
    stdlib = Path(os.__file__).resolve().parent
    binary = Path(sys.base_prefix, "bin", f"python{VERSION}")
    if not binary.exists():
        remedy = f"Install python{VERSION} from the distribution."
        raise SandboxUnavailable(f"runtime python/1: no interpreter at {binary}", remedy)
    return binary, stdlib


def _our_packages() -> dict[str, Path]:
    """Return the files and folders to copy, by path below ``LIBRARIES``."""
    bots = _package("bots")
    return {
        "engine": _package("engine"),
        "bots/__init__.py": bots / "__init__.py",
        "bots/sdk": bots / "sdk",
        "launcher.py": LAUNCHER,
    }


def _base_key() -> str:
    interpreter, _ = _interpreter()
    numpy_version = (_package("numpy") / "version.py").read_bytes()
    parts = [
        f"{RECIPE}",
        _digest(interpreter.read_bytes()),
        _digest(tree_store.shell(NAME).read_bytes()),
        _digest(numpy_version),
        _digest(Path(own_pipes.__file__).read_bytes()),
        _digest(gate.program(elf.host_machine())),
    ]
    return _digest("\n".join(parts).encode())


def _source_key(packages: dict[str, Path]) -> str:
    lines = []
    for target, source in packages.items():
        files = [source] if source.is_file() else _modules_below(source)
        lines += [f"{target}/{file.relative_to(source)} {_digest(file.read_bytes())}" for file in files]
    return _digest("\n".join(lines).encode())


def _modules_below(folder: Path) -> list[Path]:
    paths = sorted(folder.rglob("*.py"))
    return [path for path in paths if path.relative_to(folder).parts[0] != "kernel"]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _build_base(aside: Path) -> None:
    """Build the base: interpreter, standard library, shell, numpy and all shared libraries they load."""
    interpreter, stdlib = _interpreter()
    root = aside / "tree"
    numpy = _package("numpy")
    libraries = root / LIBRARIES.lstrip("/")
    python_home = root / "usr" / "lib" / f"python{VERSION}"
    tree.copy_file(interpreter, root / INTERPRETER.lstrip("/"))
    tree.copy_file(tree_store.shell(NAME), root / "usr" / "bin" / "sh")
    tree.copy_folder(stdlib, python_home, skip=lambda path: _STDLIB_UNWANTED.fullmatch(path) is not None)
    tree.copy_folder(
        numpy, libraries / "numpy", skip=lambda path: _NUMPY_UNWANTED.fullmatch(path) is not None
    )
    bundled = numpy.parent / "numpy.libs"
    if bundled.is_dir():
        tree.copy_folder(bundled, libraries / "numpy.libs", skip=lambda _: False)
    binaries = [file.relative_to(libraries) for file in libraries.rglob("*.so*")]
    loaded = [
        interpreter,
        tree_store.shell(NAME),
        *(stdlib / file.relative_to(python_home) for file in python_home.rglob("*.so")),
        *(numpy.parent / file for file in binaries),
    ]
    tree_store.add_libraries(root, tree.shared_libraries(loaded), skip_below=[numpy.parent])
    tree_store.add_gate(root)
    tree.copy_file(Path(own_pipes.__file__), python_home / "_own_pipes.py")
    with (python_home / "socket.py").open("a") as module:
        module.write(own_pipes.SOCKET)
    _precompile(root, f"/usr/lib/python{VERSION}", f"{LIBRARIES}/numpy")
    tree.open_up(root)
    (aside / "files.json").write_text(json.dumps(tree.hash_tree(root)))


def _build(
    aside: Path, base: Path, packages: dict[str, Path], added: Mapping[str, bytes] = MappingProxyType({})
) -> None:
    """Add the project's packages and the added files to the base, whose files are hard-linked."""
    root = aside / "tree"
    tree.link_folder(base / "tree", root)
    libraries = root / LIBRARIES.lstrip("/")
    for target, source in packages.items():
        if source.is_file():
            tree.copy_file(source, libraries / target)
        else:
            tree.copy_folder(
                source, libraries / target, skip=lambda path: _SOURCE_UNWANTED.fullmatch(path) is not None
            )
    for target, data in added.items():
        (libraries / target).parent.mkdir(parents=True, exist_ok=True)
        (libraries / target).write_bytes(data)
    _precompile(root, f"{LIBRARIES}/engine", f"{LIBRARIES}/bots", f"{LIBRARIES}/launcher.py")
    tree.open_up(root)
    known = {
        path: (mode, digest) for path, (mode, digest) in json.loads((base / "files.json").read_text()).items()
    }
    (aside / "digest").write_text(tree.tree_digest(tree.hash_tree(root, known)) + "\n")


def _precompile(root: Path, *places: str) -> None:
    interpreter, _ = _interpreter()
    script = Path(__file__).with_name("precompile.py")
    _run([str(interpreter), "-I", "-S", str(script), str(root), *places], "compiling")


def _run(command: list[str], step: str) -> str:
    """Return the output of a program, or raise ``SandboxUnavailable``."""
    try:
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            timeout=COMPILE_TIMEOUT_S,
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise SandboxUnavailable(
            f"runtime python/1: {step} took over {COMPILE_TIMEOUT_S:.0f} s", "Retry."
        ) from error
    except subprocess.CalledProcessError as error:
        raise SandboxUnavailable(
            f"runtime python/1: {step} failed: {error.stderr.strip()}", "Report this."
        ) from error
    return done.stdout


RUNTIME = Recipe(runtime=_SANDBOXED, provide=provide, host=host, entry_suffixes=(".py",))
