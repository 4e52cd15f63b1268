"""The parts of a tournament's page. Their cost does not grow with the tournament."""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.competition.co_organisers import co_organiser_names
from arena.competition.entries.counts import field_counts
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.selectors import (
    ENDED_STATES,
    RoundCounts,
    entries_entered,
    entries_in_status,
    format_title,
    round_counts,
    rounds_planned,
    stages_mix_partners,
    stages_of,
)
from arena.competition.statements import statements_of
from arena.matches.clock_use import mean_cpu_ms_of_field
from arena.matches.fixture_selectors import (
    RoundKey,
    has_more_fixtures_than,
    open_tables,
    round_keys,
    rounds_with_boards,
)
from arena.matches.workers import capacity_alive
from arena.mounts import FEATURES
from arena.standings.round_order import top_fixtures
from arena.standings.selectors import ListedRow, top_rows
from arena.standings.swings import Swing, biggest_swings, latest_swing
from arena.web.base.labels import (
    EntryLabel,
    TableLabel,
    entry_label,
    in_sentence,
    option_lines,
    rule_lines,
    table_label,
)
from arena.web.base.states import LIVE, TOURNAMENT_STATE_NAMES, State, TableCounts, format_count, next_step
from arena.web.base.wording import join_facts
from arena.web.drawing.crosstable import (
    MAX_WHOLE_ENTRIES,
    MIN_ENTRIES,
    MIN_SHARE_MET,
    TOP_ENTRIES,
    CrosstableWindow,
    build_window,
)
from arena.web.drawing.swing_lines import swing_lines
from arena.web.tournaments.bracket import build_brackets
from arena.web.tournaments.disputes import build_disputes
from arena.web.tournaments.leader import Lead, build_lead, build_podium, has_leader
from arena.web.tournaments.luck import LuckPanel, build_luck_panel, stage_with_one_table
from arena.web.tournaments.places import MAX_LINES as MAX_PLACES
from arena.web.tournaments.places import PlacesPlot, build_places
from arena.web.tournaments.progress import Progress, remaining_minutes, stage_progress
from arena.web.tournaments.ranking import LINES_PER_PAGE, TOP_LINES, build_rankings
from arena.web.tournaments.reached import with_reached
from arena.web.tournaments.round_list import StageRounds, round_links
from arena.web.tournaments.rounds import (
    RoundLine,
    RoundSwing,
    build_rounds,
    count_boards,
    count_tables,
    round_swing,
)

MAX_FIXTURES = 40
"""Maximum fixtures of a tournament whose page has all rounds; larger ones have only open rounds."""
MAX_FIXTURES_PER_ROUND = 6
"""Maximum fixtures per round on the page of a larger tournament; the round's own page has all."""
MAX_ROUNDS = 2
"""Maximum rounds on the page of a larger tournament."""
MAX_SWINGS = 5
"""Boards with the largest swings on the page; the page of its deals has more."""
MAX_ENTRIES = 50
LONG_MINUTES = 120
"""Minutes from which the remaining time is in hours."""
MAX_OTHER_ENTRIES = 30
"""Maximum entries listed that are pending, or that left."""


@dataclasses.dataclass(frozen=True)
class EventContext:
    tournament: Tournament
    stages: list[Stage]
    table: TableLabel
    is_over: bool
    """Whether nothing changes any more, so that no stream is needed."""
    is_live: bool
    statuses: dict[str, int]
    has_own_entry: bool
    begun: dict[int, RoundCounts]

    @property
    def state(self) -> State:
        return State(self.tournament.state)

    @functools.cached_property
    def rows(self) -> dict[int, list[ListedRow]]:
        """First rows of each stage's standings, by key. One query, cached."""
        return top_rows(self.stages, LINES_PER_PAGE)

    @functools.cached_property
    def swings(self) -> list[Swing]:
        """Boards with the largest swings. Two queries, cached."""
        return biggest_swings([self.tournament], MAX_SWINGS)

    @property
    def last_stage(self) -> Stage | None:
        """Last stage with standings."""
        return next((stage for stage in reversed(self.stages) if stage.pk in self.rows), None)

    @property
    def round_ended_at(self) -> datetime.datetime | None:
        return max((counts.closed_at for counts in self.begun.values() if counts.closed_at), default=None)


def load_event(tournament: Tournament) -> EventContext:
    """Return the data of all parts. Three queries."""
    stages = stages_of(tournament)
    state = State(tournament.state)
    entries = field_counts(tournament)
    return EventContext(
        tournament=tournament,
        stages=stages,
        table=table_label(tournament, mixes_partners=stages_mix_partners(stages)),
        is_over=state in ENDED_STATES,
        is_live=state in LIVE,
        statuses=entries.statuses,
        has_own_entry=entries.has_organisers_own,
        begun=round_counts([tournament]),
    )


class EntrantAction(NamedTuple):
    """An action of an organiser or staff member who has or had an entry."""

    text: str
    last_at: datetime.datetime
    """Time of the last such action."""


ENTRANT_ACTION_TEXTS = {
    "retry": gettext_lazy(
        "An organiser or member of staff with an entry in this tournament retried a quarantined table."
    ),
    "retry_tables": gettext_lazy(
        "An organiser or member of staff with an entry in this tournament retried the quarantined tables."
    ),
    "close_early": gettext_lazy(
        "An organiser or member of staff with an entry in this tournament ended it early."
    ),
    "finalise": gettext_lazy(
        "An organiser or member of staff with an entry in this tournament ended the review early."
    ),
    "cancel": gettext_lazy("An organiser or member of staff with an entry in this tournament cancelled it."),
}


def build_entrant_actions(tournament: Tournament) -> list[EntrantAction]:
    """Return the actions in the order of their last time. No query."""
    return [
        EntrantAction(
            str(ENTRANT_ACTION_TEXTS[act["action"]]), datetime.datetime.fromisoformat(act["last_at"])
        )
        for act in tournament.entrant_actions
    ]


def is_final(state: State) -> bool:
    """Whether a tournament was played and audited."""
    return state in (State.FINAL, State.ARCHIVED)


def event_lead(frame: EventContext) -> Lead | None:
    """Return the leader of the last stage; None for brackets and groups that are being played.

    At most one query, cached by revision.
    """
    last = frame.last_stage
    rows = frame.rows[last.pk] if last else []
    if last is None or not (is_final(frame.state) or (frame.is_live and has_leader(last, rows))):
        return None
    return build_lead(frame.tournament, last, rows)


def head_context(frame: EventContext) -> dict[str, Any]:
    """Return the context of the head. At most fourteen queries, most of them cached by revision."""
    tournament, state = frame.tournament, frame.state
    entered = frame.statuses.get(Entry.Status.ENTERED, 0)
    tables, progress = TableCounts(), None
    if frame.is_live:
        open_now = open_tables(tournament)
        tables = count_tables(open_now)
        progress = stage_progress(frame.stages, frame.begun, entered, count_boards(open_now))
    left = _minutes_left(tournament, progress, tables)
    last = frame.last_stage
    rows = frame.rows[last.pk] if last else []
    lead = event_lead(frame)
    return {
        "state_name": TOURNAMENT_STATE_NAMES[state],
        "format": _(", then ").join(in_sentence(format_title(stage)) for stage in frame.stages),
        "entry_count": entered + frame.statuses.get(Entry.Status.LEFT, 0),
        "wait": next_step(tournament, entered, tables, progress.text if progress and progress.round else ""),
        "progress": progress,
        "left": left,
        "left_text": _time_left(left) if left else "",
        "watch": _board_to_watch(frame),
        "round_ended_at": frame.round_ended_at if frame.is_live else None,
        "rounds_planned": _fixed_rounds(frame) if state == State.OPEN else None,
        "lead": lead,
        "leads_now": lead is not None and frame.is_live,
        "counts_points": frame.table.counts_points,
        "podium": build_podium(tournament, last, rows) if last and is_final(state) else [],
        "by_lot": lead is not None and lead.by_lot,
        "crumbs": [crumb for feature in FEATURES for crumb in feature.crumbs(tournament)],
        "organisers": join_facts([tournament.organiser.username, *co_organiser_names(tournament)]),
        "entrant_actions": build_entrant_actions(tournament),
    }


def _fixed_rounds(frame: EventContext) -> int | None:
    """Return the planned rounds of the first stage; None if they depend on the number of entries."""
    limits = (frame.tournament.min_entries, frame.tournament.max_entries)
    counts = {rounds_planned(frame.stages[0], entries) for entries in limits} if frame.stages else set()
    return counts.pop() if len(counts) == 1 else None


def _board_to_watch(frame: EventContext) -> RoundSwing | None:
    """Return the largest swing of the latest round, or of a final tournament; else None.

    At most three queries.
    """
    if frame.is_live:
        return round_swing(latest_swing(frame.tournament))
    if is_final(frame.state) and frame.swings:
        return round_swing(frame.swings[0])
    return None


def _minutes_left(tournament: Tournament, progress: Progress | None, tables: TableCounts) -> int | None:
    """Return the expected minutes of a running stage. At most one query more than the cached clock use."""
    if progress is None or tournament.state != State.RUNNING or not (tables.playing or tables.waiting):
        return None
    capacity = capacity_alive()
    if not capacity:
        return None
    at_once = min(capacity, tables.playing + tables.waiting)
    return remaining_minutes(progress, mean_cpu_ms_of_field(tournament), at_once)


def _time_left(minutes: int) -> str:
    is_long = minutes >= LONG_MINUTES
    count = format_count(round(minutes / 60), "hour") if is_long else format_count(minutes, "minute")
    return _("about %(time)s left") % {"time": count}


@dataclasses.dataclass(frozen=True)
class LeftEntry:
    """An entry that left after the field was fixed, with the reason."""

    entry: EntryLabel
    reason: str


def results_context(frame: EventContext) -> dict[str, Any]:
    """Return the context of the results. A fixed number of queries, and some per bracket."""
    tournament, statuses = frame.tournament, frame.statuses
    rows = frame.rows
    rankings = with_reached(build_rankings(tournament, frame.stages, rows), frame.stages)
    entries = [] if rankings else list(entries_entered(tournament)[:MAX_ENTRIES])
    pending = [] if rankings else _entries_with_status(frame, Entry.Status.PENDING)
    last = next((stage for stage in frame.stages if rankings and stage.number == rankings[0].stage), None)
    left = _entries_with_status(frame, Entry.Status.LEFT)
    return {
        "rankings": rankings,
        "lead": event_lead(frame),
        "is_staged": len(frame.stages) > 1,
        # A stage that ended before its first round has standings but no rounds.
        "closed_rounds": frame.begun[last.pk].closed if last and last.pk in frame.begun else 0,
        "ended_early": last is not None and last.closed_early,
        "left_out": [stage.number for stage in frame.stages if is_final(frame.state) and stage.is_skipped],
        "brackets": build_brackets(frame.stages, rows),
        "crosstable": _crosstable(last, rankings[0].count, rows[last.pk]) if last else None,
        "has_crosstable": any(len(of_stage) >= MIN_ENTRIES for of_stage in rows.values()),
        "entries": [entry_label(entry) for entry in entries],
        "entry_count": statuses.get(Entry.Status.ENTERED, 0) + statuses.get(Entry.Status.LEFT, 0),
        "pending": [entry_label(entry) for entry in pending],
        "places": _places(last, rows[last.pk], rankings[0].count) if last else None,
        "swings": swing_lines(frame.swings) if rankings else (),
        "disputes": build_disputes(tournament) if rankings else None,
        "gone": [LeftEntry(entry_label(entry), entry.status_reason) for entry in left],
        "gone_unlisted": statuses.get(Entry.Status.LEFT, 0) - len(left),
        "withdrawn": statuses.get(Entry.Status.WITHDRAWN, 0),
    }


def luck_panel(frame: EventContext) -> LuckPanel | None:
    """Return the panel of a final tournament. At most nine queries; see ``stage_seating_draws``."""
    if not is_final(frame.state):
        return None
    return build_luck_panel(frame.tournament, stage_with_one_table(frame.stages, frame.rows))


def _entries_with_status(frame: EventContext, status: str) -> list[Entry]:
    if not frame.statuses.get(status):
        return []
    return list(entries_in_status(frame.tournament, status)[:MAX_OTHER_ENTRIES])


def _places(stage: Stage, rows: Sequence[ListedRow], count: int) -> PlacesPlot | None:
    if not has_leader(stage, rows):
        return None
    return build_places(stage, rows[: MAX_PLACES if count <= MAX_PLACES else TOP_LINES])


def _crosstable(stage: Stage, count: int, rows: Sequence[ListedRow]) -> CrosstableWindow | None:
    if count < MIN_ENTRIES or "group" in rows[0].values:
        return None  # groups have crosstables of their own
    visible = rows[: count if count <= MAX_WHOLE_ENTRIES else TOP_ENTRIES]
    window = build_window(stage, count, visible, visible)
    return window if window.share_met >= MIN_SHARE_MET else None


@dataclasses.dataclass(frozen=True)
class ShownRounds:
    shown: list[RoundLine]
    """Newest first: all of a small tournament, else the open rounds, or the last."""
    picker: list[StageRounds]


def select_rounds(frame: EventContext) -> ShownRounds:
    """At most thirteen queries."""
    keys = round_keys(frame.tournament)
    if not keys:
        return ShownRounds([], [])
    tournament = frame.tournament
    if not has_more_fixtures_than(tournament, MAX_FIXTURES):
        lines = build_rounds(tournament, only=[round_key.key for round_key in keys])
        return ShownRounds(lines, [])
    newest = newest_rounds(keys)
    first: dict[int, str] = {}
    for round_row in rounds_with_boards(tournament, newest):
        first |= top_fixtures(round_row, MAX_FIXTURES_PER_ROUND)
    lines = build_rounds(tournament, only=newest, fixtures_only=list(first))
    order = list(first.values())
    lines = [
        dataclasses.replace(
            line, fixtures=tuple(sorted(line.fixtures, key=lambda row: (row.is_bye, order.index(row.id))))
        )
        for line in lines
    ]
    return ShownRounds(lines, round_links(keys))


def newest_rounds(keys: list[RoundKey]) -> list[int]:
    """Return the keys of the open rounds, else of the last; ``keys`` are newest first."""
    being_played = [round_key.key for round_key in keys if round_key.is_open]
    return being_played[:MAX_ROUNDS] or [keys[0].key]


FAIR_STEPS = {
    "committed": pgettext_lazy("step of fair deals", "committed"),
    "field_fixed": pgettext_lazy("step of fair deals", "field fixed"),
    "revealed": pgettext_lazy("step of fair deals", "revealed"),
}


def conditions_context(frame: EventContext) -> dict[str, Any]:
    """Return the context of the conditions. One query."""
    tournament = frame.tournament
    digests = [stage for stage in frame.stages if stage.field_digest]
    steps = {
        "committed": bool(tournament.commitment),
        "field_fixed": bool(digests),
        "revealed": tournament.revealed_at is not None,
    }
    done = [step for step, is_done in steps.items() if is_done]
    return {
        "stages": frame.stages,
        "is_over": frame.is_over,
        "rules": rule_lines(tournament, frame.stages, frame.table),
        "options": option_lines(tournament.ruleset),
        "digests": digests,
        "fair_steps": done,
        "fair_text": capfirst(join_facts(FAIR_STEPS[step] for step in done)),
        "statements": list(statements_of(tournament)),
        "secret": bytes(tournament.secret).hex() if tournament.revealed_at else None,
        "has_own_entry": frame.has_own_entry,
    }
