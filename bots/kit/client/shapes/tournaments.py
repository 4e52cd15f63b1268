"""Shapes of the API: addresses under tournaments. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import (
    BoardKind,
    BoardPlan,
    BotVisibility,
    ClockIn,
    EnteredVersion,
    EntryPolicy,
    StageIn,
)

DisplayKind: TypeAlias = Literal["table", "groups", "bracket", "heats", "movement"]
EntryStatus: TypeAlias = Literal["pending", "entered", "withdrawn", "left"]
RoundState: TypeAlias = Literal["planned", "open", "closed"]


class Cell(TypedDict):
    """How one entry did against another, from the side of the row; closed rounds only."""

    entry: str
    """The opponent."""
    mean: float
    """Board score a board, in stones."""
    boards: int
    low: float | None
    """Lower end of the 95 % interval; null with a single board."""
    high: float | None
    mark: str
    """** if the interval of 99 % leaves out 0, * if that of 95 % does."""
    match_points: int


class Column(TypedDict):
    """What stands in one column."""

    title: str
    slots: list[Slot]


class CrossRow(TypedDict):
    """One entry against all it met."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    against: list[Cell]


class Crosstable(TypedDict):
    """Everybody against everybody in one stage, in the order of the standings."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    rows: list[CrossRow]


class Display(TypedDict):
    """How a stage looks on paper; entries by id, with their names beside it."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    format: str
    kind: DisplayKind
    sections: list[Section]
    names: dict[str, EntryName]
    """Who they are, by id of the entry."""


class Entry(TypedDict):
    """An entry. ``verbs`` are what the asker may do with it now."""

    id: str
    tournament: str
    player: str
    partner: str | None
    """Handle of the player whose version plays the higher seat, if that is another one."""
    version: EnteredVersion
    partner_version: EnteredVersion | None
    accepts_partners: bool
    seed: int | None
    status: EntryStatus
    status_reason: str
    status_at: str
    left_stage: int | None
    """The stage in which it left."""
    left_round: int | None
    """The last round it was drawn into; 0: none."""
    is_organisers_own: bool
    created_at: str
    verbs: list[str]
    """What the asker may do with it now."""


class EntryChangeIn(TypedDict):
    """What the organiser sets of an entry until the lock."""

    seed: NotRequired[int | None]
    """The place in the order; null: by lot, after all that have one."""


class EntryIn(TypedDict):
    """A ready version to enter, or two that play as a pair, the first named in the lower seat. The second
    one may be somebody else's: the entry is then ``pending`` until that owner confirms."""

    version: str
    partner_version: NotRequired[str | None]
    accepts_partners: NotRequired[bool]
    """Where partners are mixed: you agree that it partners everybody in turn."""
    seed: NotRequired[int | None]
    """Set by the organiser only."""


class EntryName(TypedDict):
    """Who an entry is, wherever one is spoken of; what ``entry_named`` gives."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""


class Fairness(TypedDict):
    """What lets anybody check that the deals were fixed before play."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    tournament: str
    commitment: str
    """SHA-256 of the secret; empty before registration."""
    secret: str | None
    """Hex; null until final or cancelled."""
    revealed_at: str | None
    field_digests: list[FieldDigest]
    board_sets: list[Seeds]


class FieldDigest(TypedDict):
    """The digest of a stage's field."""

    stage: int
    field_digest: str
    """Empty until entry closes."""


class Invitation(TypedDict):
    """An invitation."""

    player: str
    created_at: str


class InvitationIn(TypedDict):
    """A player to invite."""

    player: str
    """The player's handle."""


class Round(TypedDict):
    """A round; its boards are sealed until it is closed."""

    id: str
    stage: int
    number: int
    state: RoundState
    board_set: str
    boards: int
    opened_at: str | None
    closed_at: str | None


class Section(TypedDict):
    """One part of it, such as a group or the bracket of the losers."""

    title: str
    columns: list[Column]


class Seeds(TypedDict):
    """The seeds of one closed board set."""

    stage: int
    round: int
    board_set: str
    seeds: dict[str, str] | None
    """Null while sealed."""


class Slot(TypedDict):
    """One place of a bracket, a group or a round."""

    round: int | None
    fixture: int | None
    """Its number within the round."""
    entries: list[str | None]
    winner: str | None
    """From closed rounds only."""
    note: str


class StageStandings(TypedDict):
    """The standings of one stage after its closed rounds."""

    next_first: NotRequired[int | None]
    """Number of the first row that did not fit, to be asked for as first; null: none."""
    stage: int
    state: str
    rows: list[Standing]


class Standing(TypedDict):
    """One line of the standings."""

    entry: str
    player: str
    bot: str
    """The bot's name; of a pair of versions both, joined by " + "."""
    versions: list[EnteredVersion]
    """One for all seats of its side, or one for each."""
    rank: int
    version: str
    """The first of ``versions``."""
    status: str
    """entered, or left: it plays no more."""
    values: dict[str, Any]
    """Everything that can order the table; fractions as n/d text. In groups also ``group`` and ``place``."""
    decided_by: str
    """The first value that told it from the row above."""


class TournamentChangeIn(TypedDict):
    """Fields to change; ``editable`` of the tournament names those that its state allows."""

    name: NotRequired[str]
    preset: NotRequired[str]
    description: NotRequired[str]
    visibility: NotRequired[BotVisibility]
    ruleset: NotRequired[dict[str, bool | int | str | None] | None]
    """Options that differ from the preset's."""
    board_kind: NotRequired[BoardKind]
    boards_per_round: NotRequired[int]
    board_plan: NotRequired[BoardPlan]
    """until_separated: the schedule is played again until neighbours separate or the budget ends. *
    `fixed` - the rounds of the format, once * `until_separated` - again and again until neighbours
    separate or the budget ends."""
    most_passes: NotRequired[int | None]
    """How often at most, of until_separated."""
    budget_cpu_s: NotRequired[int | None]
    """CPU-seconds all bots together may use; null: no limit."""
    stages: NotRequired[list[StageIn] | None]
    """Left out: one stage of the first format that fits the preset."""
    clock: NotRequired[ClockIn | None]
    fault_policy: NotRequired[str]
    """substitute or strict."""
    tie_breaks: NotRequired[list[str] | None]
    scoring: NotRequired[str]
    """match_points or board_score."""
    entry_policy: NotRequired[EntryPolicy]
    """invited: players the organiser invited. * `open` - everybody who sees it * `invited` - players the
    organiser invited."""
    entries_per_player: NotRequired[int]
    min_entries: NotRequired[int | None]
    """Left out: as many as fill a table."""
    max_entries: NotRequired[int | None]
    quarantine_hours: NotRequired[int]
    closes_at: NotRequired[str | None]
    """End of registration."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked."""


class TournamentIn(TypedDict):
    """A tournament to make; everything but name and preset has a default."""

    name: str
    preset: str
    description: NotRequired[str]
    visibility: NotRequired[BotVisibility]
    ruleset: NotRequired[dict[str, bool | int | str | None] | None]
    """Options that differ from the preset's."""
    board_kind: NotRequired[BoardKind]
    boards_per_round: NotRequired[int]
    board_plan: NotRequired[BoardPlan]
    """until_separated: the schedule is played again until neighbours separate or the budget ends. *
    `fixed` - the rounds of the format, once * `until_separated` - again and again until neighbours
    separate or the budget ends."""
    most_passes: NotRequired[int | None]
    """How often at most, of until_separated."""
    budget_cpu_s: NotRequired[int | None]
    """CPU-seconds all bots together may use; null: no limit."""
    stages: NotRequired[list[StageIn] | None]
    """Left out: one stage of the first format that fits the preset."""
    clock: NotRequired[ClockIn | None]
    fault_policy: NotRequired[str]
    """substitute or strict."""
    tie_breaks: NotRequired[list[str] | None]
    scoring: NotRequired[str]
    """match_points or board_score."""
    entry_policy: NotRequired[EntryPolicy]
    """invited: players the organiser invited. * `open` - everybody who sees it * `invited` - players the
    organiser invited."""
    entries_per_player: NotRequired[int]
    min_entries: NotRequired[int | None]
    """Left out: as many as fill a table."""
    max_entries: NotRequired[int | None]
    quarantine_hours: NotRequired[int]
    closes_at: NotRequired[str | None]
    """End of registration."""
    starts_at: NotRequired[str | None]
    """Earliest start once locked."""
