"""Faults planted one at a time: what mutmut's operators make of a file, drawn by a seed.

mutmut's own runner does not fit: it forks from a process that has imported all of it, keeps a copy in the
working tree, and has neither a draw by seed nor tests named for each part. Its operators know none of that.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst
from mutmut.mutation.mutators import mutation_operators

from tests.mutants.areas import AREAS, Sources

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (
    libcst.Annotation,
    libcst.Decorator,
    libcst.Raise,  # a message is text for people
    libcst.Assert,  # what cannot be otherwise
    libcst.Import,
    libcst.ImportFrom,
)
LOGGING = re.compile(r"log(ger)?\.\w+$")
STRICT = "strict=True"
"""Of a zip: refuses what the code around it has made impossible."""


class Mutant(NamedTuple):
    """A fault that can be planted in a file."""

    area: str
    path: str
    tests: tuple[str, ...]
    function: str
    change: str
    """``old -> new``, of the smallest part that differs."""
    count: int
    """Which of the changes of this function that read alike, from 1."""
    module: libcst.Module
    node: libcst.CSTNode
    changed: libcst.CSTNode

    @property
    def name(self) -> str:
        """What it is called in the list of equivalent ones; stays as other lines come and go."""
        again = f" ({self.count})" if self.count > 1 else ""
        return f"{self.path} {self.function}: {self.change}{again}"

    def code(self) -> str:
        """The file with the fault in it."""
        replaced = self.module.deep_replace(self.node, self.changed)
        assert isinstance(replaced, libcst.Module)
        return replaced.code

    def compiles(self) -> bool:
        """Whether it is Python: not all that the operators make is."""
        try:
            compile(self.code(), self.path, "exec")
        except SyntaxError:
            return False
        return True


class Places(libcst.CSTVisitor):
    """Collects every node of a function that an operator changes, with what becomes of it."""

    def __init__(self) -> None:
        self.outer: list[libcst.FunctionDef | libcst.ClassDef] = []
        self.found: list[tuple[str, libcst.FunctionDef, libcst.CSTNode, libcst.CSTNode]] = []

    def on_visit(self, node: libcst.CSTNode) -> bool:
        if isinstance(node, LEFT_OUT):
            return False
        if isinstance(node, libcst.Expr) and isinstance(node.value, libcst.SimpleString):
            return False  # a docstring
        if isinstance(node, libcst.Call) and LOGGING.match(libcst.Module([]).code_for_node(node.func)):
            return False
        if isinstance(node, libcst.FunctionDef | libcst.ClassDef):
            self.outer.append(node)
        functions = [outer for outer in self.outer if isinstance(outer, libcst.FunctionDef)]
        if functions:
            name = ".".join(outer.name.value for outer in self.outer)
            for kind, operator in mutation_operators:
                if isinstance(node, kind):
                    self.found.extend((name, functions[-1], node, changed) for changed in operator(node))
        return True

    def on_leave(self, original_node: libcst.CSTNode) -> None:
        if self.outer and self.outer[-1] is original_node:
            self.outer.pop()


def mutants_of(area: str, path: str, sources: Sources) -> Iterator[Mutant]:
    """Every mutant of a file."""
    module = libcst.parse_module((ROOT / path).read_text())
    places = Places()
    module.visit(places)
    seen: Counter[tuple[str, str]] = Counter()
    texts: dict[libcst.FunctionDef, str] = {}
    for function, inner, node, changed in places.found:
        if inner not in texts:
            texts[inner] = module.code_for_node(inner)
        if sources.about is not None and not sources.about.search(texts[inner]):
            continue
        old, new = (re.sub(r"\s+", " ", module.code_for_node(part)).strip() for part in (node, changed))
        if new.count(STRICT) < old.count(STRICT):
            continue
        change = f"{old} -> {new}"
        seen[function, change] += 1
        yield Mutant(
            area, path, sources.tests, function, change, seen[function, change], module, node, changed
        )


def mutants_drawn(area: str, count: int, seed: int) -> list[Mutant]:
    """So many mutants of an area: as a seed orders them, whatever else is changed elsewhere."""
    found = [
        mutant
        for sources in AREAS[area]
        for path in sorted(ROOT.glob(sources.files))
        for mutant in mutants_of(area, path.relative_to(ROOT).as_posix(), sources)
    ]
    found.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant.name}".encode()).digest())
    drawn = (mutant for mutant in found if mutant.compiles())
    return [mutant for mutant, _ in zip(drawn, range(count), strict=False)]
