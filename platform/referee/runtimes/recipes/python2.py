"""Recipe of ``python/2``: the tree of ``python/1`` with the compiled kernel, ``engine.kernel``.

The kernel is an artefact, the same on all workers; the kit uses the installed kernel.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from referee.errors import SandboxUnavailable
from referee.runtimes import kernel
from referee.runtimes.recipe import Recipe, Runtime, StartTest
from referee.runtimes.recipes import python1

_SANDBOXED = python1.RUNTIME.runtime._replace(name=kernel.NAME)

START_TEST = b"""\
import importlib
import pkgutil

import engine.kernel

files = [
    importlib.import_module("engine.kernel." + module.name).__file__
    for module in pkgutil.iter_modules(engine.kernel.__path__)
]
is_compiled = any(file.endswith(".so") for file in files)
print("here" if is_compiled == engine.kernel.is_compiled else "the kernel does not use its compiled modules")
input()
"""


def provide(stage: Path) -> Runtime:
    """Return the runtime with the installed kernel, compiled or not, or raise ``SandboxUnavailable``."""
    return _provide(stage, kernel.pack(kernel.kernel_folder()), may_be_twin=True)


def provide_artifact(stage: Path, archive: bytes) -> Runtime:
    """Return the runtime with the kernel of this archive.

    Raise ``SandboxUnavailable`` if this machine cannot run it, ``PlatformFault`` if it cannot be read.
    """
    return _provide(stage, archive, may_be_twin=False)


def _provide(stage: Path, archive: bytes, *, may_be_twin: bool) -> Runtime:
    unpacked = kernel.unpack(archive)
    if unpacked.compiled or not may_be_twin:
        kernel.require_host(unpacked)
    added = {f"engine/{kernel.FOLDER}/{name}": data for name, data in unpacked.files.items()}
    tree = python1.provide_tree(stage, kernel.NAME, hashlib.sha256(archive).hexdigest(), added)
    versions = python1.tree_versions()
    return _SANDBOXED._replace(digest=tree.digest, root=tree.root, versions=versions)


def host() -> Runtime:
    """Return the host runtime of ``python/1``, whose folders here include the kernel."""
    kernel.kernel_folder()
    return python1.host()._replace(name=kernel.NAME)


def note() -> str:
    """Return a note if the installed kernel is the slow twin or outdated; else nothing."""
    try:
        folder = kernel.kernel_folder()
        if outdated := kernel.outdated(folder):
            return (
                f"{kernel.NAME} has another kernel here than its sources: {outdated}; make setup compiles it"
            )
        if kernel.compiled_modules(folder):
            return ""
    except SandboxUnavailable:
        # The offer reports it.
        return ""
    return (
        f"{kernel.NAME} has the slow twin of the kernel here, with the same answers: make setup compiles it"
    )


RUNTIME = Recipe(
    runtime=_SANDBOXED,
    provide=provide,
    provide_artifact=provide_artifact,
    host=host,
    note=note,
    entry_suffixes=(".py",),
    trial=StartTest(
        "main.py",
        START_TEST,
        "Build the kernel on this release with make setup, then manage.py runtime_publish",
    ),
)
