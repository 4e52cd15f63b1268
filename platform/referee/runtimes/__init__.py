"""What bots run on: fixed trees, known by name and digest.

Every runtime is one module of ``referee.runtimes.recipes`` with a ``RUNTIME``; nothing else names it.

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
"""The runtime of a bot that names none, and the one without which a machine runs no bots at all: the sandbox
is tried with it."""


@functools.cache
def all_recipes() -> dict[str, Recipe]:
    """The recipe of every runtime by name, ``DEFAULT_RUNTIME`` first. A changed runtime is a new name.

    Raises:
        TypeError: a module has no ``RUNTIME``, or two claim the same name.
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
    """The recipe of this runtime.

    Raises:
        OrderInvalid: there is no such runtime.
    """
    by_name = all_recipes()
    if name not in by_name:
        raise OrderInvalid(f"unknown runtime {name!r}; runtimes: {', '.join(by_name)}")
    return by_name[name]


def require_artifact(name: str, artifact: str) -> None:
    """Refuse an order of the platform without the artefact its runtime takes: a worker would play with what
    is installed there. A runtime that is not known passes: ``runtime_named`` refuses it.

    Raises:
        PlatformFault: the hash is empty.
    """
    recipe = all_recipes().get(name)
    if recipe is not None and recipe.takes_artifact and not artifact:
        raise PlatformFault(
            f"runtime {name} takes an artefact, and none was ordered. Run manage.py runtime_publish.",
            FaultCause.RUNTIME,
        )


@functools.cache
def runtime_named(name: str, artifact: str = "") -> Runtime:
    """The runtime of this name, built on first use: seconds once a machine, milliseconds once a process.

    ``artifact`` is the hash of one that ``stage_artifact`` was given; without it a runtime that takes one
    uses what is installed here. Whether the sandbox reaches the level it needs is another question: see
    ``referee.capability``.

    Raises:
        OrderInvalid: there is no such runtime, or it takes no artefact.
        PlatformFault: the artefact is missing or damaged.
        SandboxUnavailable: the tree cannot be built here.
    """
    recipe = recipe_named(name)
    if not artifact:
        return recipe.provide(stage_root())
    if recipe.provide_artifact is None:
        raise OrderInvalid(f"runtime {name} takes no artefact, and one was ordered: {artifact[:12]}")
    return recipe.provide_artifact(stage_root(), staged_artifact(artifact))


def host_runtime(name: str) -> Runtime:
    """The same interface on the programs of this machine, for play without a sandbox.

    Raises:
        OrderInvalid: there is no such runtime.
        SandboxUnavailable: this machine has no such interpreter.
    """
    return recipe_named(name).host()
