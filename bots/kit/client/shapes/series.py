"""Shapes of the API: addresses under series. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import BoardKind, BoardPlan, BotVisibility, ClockIn, EntryPolicy, StageIn
from bots.kit.client.shapes.shared import Plan

EveryEnum: TypeAlias = Literal["daily", "weekly"]
SeriesState: TypeAlias = Literal["active", "paused", "ended"]


class Meeting(TypedDict):
    """One edition to come."""

    opens_at: str
    """Registration opens."""
    starts_at: str
    """Registration ends and play begins."""


class Series(TypedDict):
    """A recurring cup."""

    id: str
    name: str
    organiser: str
    every: EveryEnum
    weekday: int | None
    at: str
    """UTC, such as 20:00."""
    open_hours: int
    until: str | None
    state: SeriesState
    state_reason: str
    next_at: str | None
    """When the next edition starts; null once ended."""
    last_edition: int
    template: dict[str, Any]
    """Fields of a tournament."""
    ahead: list[Meeting]
    """The editions to come; none unless it is active."""
    verbs: list[str]
    """What the asker may do with it now."""
    created_at: str


class SeriesChangesIn(TypedDict):
    """What of a series can be changed; editions made already stay as they are."""

    name: NotRequired[str]
    template: NotRequired[TemplateIn]
    """Replaces the whole template."""
    every: NotRequired[EveryEnum]
    weekday: NotRequired[int | None]
    """Of weekly ones: 0 = Monday."""
    at: NotRequired[str]
    """When an edition starts: hours and minutes in UTC, such as 20:00."""
    open_hours: NotRequired[int]
    """How long before that registration opens; up to 24 for daily ones."""
    until: NotRequired[str | None]
    """No edition starts after this."""


class SeriesIn(TypedDict):
    """A series to make."""

    name: str
    """Editions are called by it and their number."""
    template: TemplateIn
    every: EveryEnum
    weekday: NotRequired[int | None]
    """Of weekly ones: 0 = Monday."""
    at: str
    """When an edition starts: hours and minutes in UTC, such as 20:00."""
    open_hours: NotRequired[int]
    """How long before that registration opens; up to 24 for daily ones."""
    until: NotRequired[str | None]
    """No edition starts after this."""


class SeriesPlan(TypedDict):
    """What a series would be, if it were made."""

    series: Series
    plan: Plan
    """Of one edition, with as many entries as may be."""


class SubscribedBot(TypedDict):
    """A bot that is entered each time."""

    id: str
    name: str


class Subscription(TypedDict):
    """A bot whose active version is entered in every edition."""

    player: str
    bot: SubscribedBot
    partner_bot: SubscribedBot | None
    created_at: str


class SubscriptionIn(TypedDict):
    """A bot of one's own to enter in every edition."""

    bot: str
    partner_bot: NotRequired[str | None]
    """Another of one's own, for a pair of two."""
    accepts_partners: NotRequired[bool]
    """Must be true where everybody partners everybody in turn."""


class TemplateIn(TypedDict):
    """What every edition is like: a tournament without its name and times."""

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
