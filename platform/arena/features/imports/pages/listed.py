"""Entries, standings and fixtures of an import, as pages show them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.features.imports.models import ImportedEvent
from arena.features.imports.summary import EntryRow, FixtureRow, StageRow, StandingRow, Summary
from arena.web.base.figures import format_exact
from arena.web.base.labels import SCORE_NAMES


class EntryName(NamedTuple):
    """An entry of another site. Its bots and players have no pages here."""

    bots: str
    players: str


class StandingLine(NamedTuple):
    rank: int
    entry: EntryName
    score: str
    results: str
    """Fixtures won, drawn and lost; empty if the stage does not count them."""
    decided_by: str


class SideLine(NamedTuple):
    entry: EntryName
    score: str
    is_winner: bool


class TableLink(NamedTuple):
    number: int
    has_replay: bool
    state: str


class FixtureLine(NamedTuple):
    number: int
    state: str
    reason: str
    sides: list[SideLine]
    tables: list[TableLink]


def entry_names(summary: Summary) -> list[EntryName]:
    return [_entry_name(entry) for entry in summary["entries"]]


def _entry_name(entry: EntryRow) -> EntryName:
    bots = " + ".join(f"{name} v{number}" for name, number in entry["bots"] if name)
    return EntryName(bots or _("deleted bot"), ", ".join(filter(None, entry["players"])))


def standing_lines(rows: Sequence[StandingRow], names: Sequence[EntryName]) -> list[StandingLine]:
    return [
        StandingLine(
            row["rank"],
            names[row["entry"]],
            _score(row["score"]),
            _results(row),
            str(SCORE_NAMES.get(row["decided_by"], "")),
        )
        for row in rows
    ]


def _results(row: StandingRow) -> str:
    counts = (row["won"], row["drawn"], row["lost"])
    return "–".join(str(count) for count in counts) if None not in counts else ""


def _score(text: str | None, *, signed: bool = False) -> str:
    return "–" if text is None else format_exact(Fraction(text), signed=signed)


def fixture_lines(fixtures: Sequence[FixtureRow], names: Sequence[EntryName]) -> list[FixtureLine]:
    return [_fixture_line(fixture, names) for fixture in fixtures]


def _fixture_line(fixture: FixtureRow, names: Sequence[EntryName]) -> FixtureLine:
    scores = [None if side["score"] is None else Fraction(side["score"]) for side in fixture["sides"]]
    best = max((score for score in scores if score is not None), default=None)
    is_decided = len(set(scores)) > 1
    return FixtureLine(
        fixture["number"],
        fixture["state"],
        fixture["reason"],
        [
            SideLine(
                names[side["entry"]],
                _score(side["score"], signed=True),
                is_decided and score is not None and score == best,
            )
            for side, score in zip(fixture["sides"], scores, strict=True)
        ],
        [
            TableLink(number, bool(table["record"]), table["state"])
            for number, table in enumerate(fixture["tables"], 1)
        ],
    )


def moment_of(text: str | None) -> datetime.datetime | None:
    return None if text is None else datetime.datetime.fromisoformat(text)


def latest_stage(event: ImportedEvent, number: int | None) -> StageRow | None:
    """Return the stage with this number, or else the last one with standings."""
    stages: list[StageRow] = event.summary["stages"]
    chosen = [stage for stage in stages if stage["number"] == number]
    ranked = [stage for stage in stages if stage["standings"]]
    return next(iter(chosen or ranked[-1:] or stages[-1:]), None)
