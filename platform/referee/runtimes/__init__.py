"""Runtimes: the fixed file trees that bots run in, identified by name and digest.

Each is one module of ``referee.runtimes.recipes`` with a ``RUNTIME``.

Source: docs/contracts.md#bots-and-runtimes; docs/runtimes.md#adding-a-runtime.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from referee.contract import FaultCause
from referee.errors import OrderInvalid, PlatformFault
from referee.runtimes import recipes
from referee.runtimes.artifact import clean_artifacts, is_staged, stage_artifact, staged_artifact
from referee.runtimes.recipe import Recipe, Runtime
from referee.runtimes.stage import safe_folder, stage_root
from referee.runtimes.tree_store import clean

__all__ = [
    "DEFAULT_RUNTIME",
    "Recipe",
    "Runtime",
    "all_recipes",
    "clean",
    "clean_artifacts",
    "host_runtime",
    "is_staged",
    "recipe_named",
    "require_artifact",
    "runtime_named",
    "safe_folder",
    "stage_artifact",
    "stage_root",
]

DEFAULT_RUNTIME = "python/1"
"""Runtime of bots that name none. The sandbox is tested with it, so a machine without it runs no bots."""


@functools.cache
def all_recipes() -> dict[str, Recipe]:
    """Return all recipes by name, ``DEFAULT_RUNTIME`` first. A changed runtime gets a new name.

    Raise ``TypeError`` if a module has no ``RUNTIME``, or two modules use the same name.
    """
    by_name: dict[str, Recipe] = {}
    for module in pkgutil.iter_modules(recipes.__path__):
        recipe = getattr(importlib.import_module(f"{recipes.__name__}.{module.name}"), "RUNTIME", None)
        if not isinstance(recipe, Recipe):
            raise TypeError(f"referee/runtimes/recipes/{module.name} has no RUNTIME: it must make a Recipe")
        if recipe.name in by_name:
            raise TypeError(f"two modules of referee/runtimes/recipes claim {recipe.name!r}")
        by_name[recipe.name] = recipe
    return dict(sorted(by_name.items(), key=lambda item: (item[0] != DEFAULT_RUNTIME, item[0])))


def recipe_named(name: str) -> Recipe:
    """Return the recipe of this runtime, or raise ``OrderInvalid``."""
    by_name = all_recipes()
    if name not in by_name:
        raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(by_name)}")
    return by_name[name]


def require_artifact(name: str, artifact: str) -> None:
    """Raise ``PlatformFault`` for an order without the artefact that its runtime takes.

    A worker would use its installed files instead. Unknown runtimes pass: ``runtime_named`` refuses them.
    """
    recipe = all_recipes().get(name)
    if recipe is not None and recipe.takes_artifact and not artifact:
        raise PlatformFault(
            f"runtime {name} takes an artefact, and none was ordered. Run manage.py runtime_publish.",
            FaultCause.RUNTIME,
        )


@functools.cache
def runtime_named(name: str, artifact: str = "") -> Runtime:
    """Return the runtime of this name. The first use builds it: seconds per machine, milliseconds per
    process.

    ``artifact`` is the hash of a staged artefact; without it, a runtime that takes one uses the installed
    files. The sandbox level is checked by ``referee.capability``. Raise ``OrderInvalid`` if there is no such
    runtime, or it takes no artefact, ``PlatformFault`` if the artefact is missing or damaged,
    ``SandboxUnavailable`` if the tree cannot be built here.
    """
    recipe = recipe_named(name)
    if not artifact:
        return recipe.provide(stage_root())
    if recipe.provide_artifact is None:
        raise OrderInvalid(f"runtime {name} takes no artefact, and one was ordered: {artifact[:12]}")
    return recipe.provide_artifact(stage_root(), staged_artifact(artifact))


def host_runtime(name: str) -> Runtime:
    """Return the runtime on this machine's own programs, for play without a sandbox.

    Raise ``OrderInvalid`` without such a runtime, ``SandboxUnavailable`` without its interpreter.
    """
    return recipe_named(name).host()
