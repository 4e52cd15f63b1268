"""How a channel is declared."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from tests.referee.between.setting import Setting

BOTS = Path(__file__).with_name("bots")


class Arrangement(StrEnum):
    """How two bots meet."""

    AFTER = "one after the other"
    """At two tables, the second of which starts when the first is over."""
    AT_ONCE = "at once"
    """At two tables, each on a core of its own."""
    PARTNERS = "partners"
    """At one table, on one core; each stands still while the other runs."""


Removal = Callable[[Setting], AbstractContextManager[None]]
"""Takes a wall away as long as it is entered."""


class Channel(NamedTuple):
    """One way for two bots to talk."""

    name: str
    """Module and class in ``bots/``."""
    wall: str
    """What stands in its way; in the words of the page."""
    without: tuple[Removal, ...] = ()
    """Take the wall away; empty: ``unremovable`` says why that cannot be done."""
    unremovable: str = ""
    played: tuple[Removal, ...] = ()
    """How it differs from the way in which bots of python/1 are played."""
    carries: tuple[Arrangement, ...] = ()
    """Where it must carry without its wall."""
    open: Mapping[Arrangement, str] = {}
    """Where it may carry with its wall, and why that is left."""
    slots: int = 64
    """Bits that a pair of processes, or an exchange of partners, carries."""
    slots_after: int | None = None
    """The same one after the other, where that differs."""
    slot_s: float = 0.004
    """At once: how long a bit takes."""
    fresh: bool = False
    """Each exchange has files and processes of its own."""
    machines: tuple[str, ...] = ("x86_64", "aarch64")
    costs: int = 1
    """How many times as long as others it takes: there are as many times fewer guesses."""
    needs_root: bool = False
    """Its wall can be taken away by root only."""

    @property
    def does(self) -> str:
        """What it does: the first sentence of its class."""
        module, _, name = self.name.partition(".")
        for node in ast.parse((BOTS / f"{module}.py").read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
        return ""
