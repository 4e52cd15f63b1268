"""Every field of every member of an export, changed in every way that its kind of value allows."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from tests.league.archives import Archive

Path = tuple[str | int, ...]
OPEN = ("ruleset", "options", "values", "clock")
"""Objects whose keys belong to what they hold."""
_HEX = re.compile(r"[0-9a-f]{16,}")
_NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.*")
WORDS = {
    "state": (
        "settled",
        "forfeited",
        "void",
        "finished",
        "quarantined",
        "done",
        "running",
        "final",
        "archived",
    ),
    "status": ("entered", "withdrawn", "left", "pending"),
    "kind": (
        "tournament",
        "challenge",
        "ladder",
        "forfeit",
        "draw",
        "void",
        "lift",
        "opened",
        "locked",
        "final",
    ),
    "end_code": ("", "separated", "max_passes", "budget_spent", "field_empty", "field_unfit"),
    "by": ("system", "organiser"),
    "fault_policy": ("substitute", "strict"),
    "scoring": ("match_points", "board_score"),
    "board_plan": ("fixed", "until_separated"),
    "board_kind": ("deal", "game"),
    "verdict": ("OK", "CRASHED", "OUT_OF_TIME", "ILLEGAL_ACTION"),
    "format": ("round_robin", "swiss", "groups", "heats", "single_elimination", "rensho-export/2"),
}
"""Other values of fields that take one of a few."""


class Mutation(NamedTuple):
    """One change of an export."""

    place: str
    """Where, without the numbers of rows."""
    kind: str
    apply: Callable[[Archive], Archive | bytes]

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.place}: {self.kind}"


def mutations(archive: Archive, chance: random.Random, instances: int) -> list[Mutation]:
    """Changes of every place of the document, of so many of its rows each, and of records and members."""
    by_place: dict[str, list[Path]] = defaultdict(list)
    for path in _paths(archive.document, ()):
        by_place[_place(archive, path)].append(path)
    found: list[Mutation] = []
    for place, paths in sorted(by_place.items()):
        for path in chance.sample(paths, min(instances, len(paths))):
            found += _of_value(archive, place, path)
    found += _of_records(archive, chance, instances)
    found += _of_members(archive)
    return found


def _paths(value: Any, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _paths(part, (*path, key))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from _paths(part, (*path, at))


def _place(archive: Archive, path: Path) -> str:
    """Where it is; an entry that never played is one of ``withdrawn``."""
    if len(path) > 1 and path[0] == "entries" and _at(archive.document, path[:2])["status"] == "withdrawn":
        path = ("withdrawn", *path[1:])
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".") or "document"


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _of_value(archive: Archive, place: str, path: Path) -> Iterator[Mutation]:
    value = _at(archive.document, path)
    for kind, other in _others(value, str(path[-1]) if path else ""):
        yield Mutation(place, kind, lambda a, other=other: _with(a, path, other))  # type: ignore[misc]
    if path and isinstance(path[-1], str):
        yield Mutation(place, "left out", lambda a: _without(a, path))
        if not any(step in OPEN for step in path[:-1]):
            yield Mutation(place, "said twice", lambda a: _doubled(a, path))


def _others(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Other values in the place of this one."""
    if isinstance(value, bool):
        yield "the contrary", not value
        yield "a number instead", int(value)
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "one less", value - 1
        yield "a fraction", float(value)
        yield "text instead", str(value)
    elif isinstance(value, str):
        yield from _other_texts(value, name)
    elif value is None:
        yield "a number for null", 1
        yield "a text for null", "x"
    elif isinstance(value, list):
        yield from _other_lists(value)
    elif isinstance(value, dict):
        yield "an unknown key", {**value, "unexpected": None}
        yield "null instead", None


def _other_texts(value: str, name: str) -> Iterator[tuple[str, Any]]:
    yield "null instead", None
    yield "longer", value + "x"
    if value:
        yield "empty", ""
    if _HEX.fullmatch(value):
        yield "another digit", ("0" if value[0] != "0" else "1") + value[1:]
        yield "in capitals", value.upper() if value.upper() != value else value[::-1]
    elif _NUMBER.fullmatch(value):
        yield "a higher number", str(Fraction(value) + 1)
        yield "spelt otherwise", f"{2 * Fraction(value).numerator}/{2 * Fraction(value).denominator}"
    elif _STAMP.fullmatch(value):
        yield "a year later", f"{int(value[:4]) + 1}{value[4:]}"
    for word in WORDS.get(name, ()):
        if word != value:
            yield f"{word!r} instead", word


def _other_lists(value: list[Any]) -> Iterator[tuple[str, Any]]:
    yield "null instead", None
    if value:
        yield "emptied", []
        yield "without the first", value[1:]
        yield "without the last", value[:-1]
        yield "the last twice", [*value, value[-1]]
    if len(value) > 1 and value[::-1] != value:
        yield "reversed", value[::-1]


def _with(archive: Archive, path: Path, value: Any) -> Archive:
    made = archive.copied()
    if not path:
        return made._replace(document=value)
    _at(made.document, path[:-1])[path[-1]] = value
    return made


def _without(archive: Archive, path: Path) -> Archive:
    made = archive.copied()
    del _at(made.document, path[:-1])[path[-1]]
    return made


def _doubled(archive: Archive, path: Path) -> bytes:
    """The key twice in the text of the document, with another value first."""
    made = archive.copied()
    holder = _at(made.document, path[:-1])
    mark = "doubled-0f1e2d3c"
    rest = {key: value for key, value in holder.items() if key != path[-1]}
    holder.clear()
    holder.update({mark: None, path[-1]: _at(archive.document, path), **rest})
    text = json.dumps(made.document).replace(f'"{mark}": null', f"{json.dumps(path[-1])}: 0")
    return archive.packed(text.encode())


def _of_records(archive: Archive, chance: random.Random, instances: int) -> Iterator[Mutation]:
    """Of lines of every kind, each field changed or left out; lines dropped, doubled and exchanged."""
    for sha256 in chance.sample(sorted(archive.records), min(instances, len(archive.records))):
        lines = archive.records[sha256].splitlines(keepends=True)
        by_kind: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(lines):
            by_kind[json.loads(line)["e"]].append(at)
        for kind, places in sorted(by_kind.items()):
            at = chance.choice(places)
            yield _record(f"record.{kind}", "line dropped", sha256, [*lines[:at], *lines[at + 1 :]])
            yield _record(f"record.{kind}", "line doubled", sha256, [*lines[: at + 1], *lines[at:]])
            fields = json.loads(lines[at])
            yield _line(f"record.{kind}", "an unknown key", sha256, lines, at, {**fields, "unexpected": 1})
            for name, value in fields.items():
                for change, other in _others(value, name):
                    where = f"record.{kind}.{name}"
                    yield _line(where, change, sha256, lines, at, {**fields, name: other})
                less = {key: part for key, part in fields.items() if key != name}
                yield _line(f"record.{kind}.{name}", "left out", sha256, lines, at, less)


def _line(
    place: str, kind: str, sha256: str, lines: list[bytes], at: int, fields: dict[str, Any]
) -> Mutation:
    text = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    return _record(place, kind, sha256, [*lines[:at], text, *lines[at + 1 :]])


def _record(place: str, kind: str, sha256: str, lines: list[bytes]) -> Mutation:
    def apply(archive: Archive) -> Archive:
        made = archive.copied()
        made.records[sha256] = b"".join(lines)
        return made

    return Mutation(place, kind, apply)


def _of_members(archive: Archive) -> Iterator[Mutation]:
    yield Mutation("README.txt", "longer", lambda a: a._replace(readme=a.readme + b"x"))
    yield Mutation("README.txt", "empty", lambda a: a._replace(readme=b""))
    for name in ("other.txt", "README.txt", "tournament.json", "records/", "records/x.ndjson"):
        yield Mutation("members", f"{name} added", lambda a, n=name: a._replace(others=((n, b"{}"),)))  # type: ignore[misc]
    first = min(archive.records, default="")
    if first:
        doubled = ((f"records/{first}.ndjson", archive.records[first]),)
        yield Mutation("members", "a record twice", lambda a: a._replace(others=doubled))
        yield Mutation("members", "a record left out", _first_dropped)
        strange = ((f"records/{first[::-1]}.ndjson", archive.records[first]),)
        yield Mutation("members", "a record nobody names", lambda a: a._replace(others=strange))


def _first_dropped(archive: Archive) -> Archive:
    made = archive.copied()
    del made.records[min(made.records)]
    return made
