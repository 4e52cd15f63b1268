"""One tournament as its page shows it."""

from __future__ import annotations

import dataclasses

from arena.competition.models import Entry, Stage, Statement, Tournament
from arena.competition.selectors import (
    OVER,
    entries_of,
    entry_counts,
    format_title,
    partners_change,
    stages_of,
)
from arena.competition.statements import statements_of
from arena.matches.fixture_selectors import round_sizes
from arena.matches.workers import workers_alive
from arena.web.bracket import Bracket, brackets_of
from arena.web.crosstable import CrossLine, crosstable_of
from arena.web.labels import (
    EntryLabel,
    TableLabel,
    entry_label,
    in_sentence,
    option_lines,
    rule_lines,
    table_label,
)
from arena.web.progress import Progress, progress_of
from arena.web.ranking import Ranking, rankings_of
from arena.web.rounds import RoundLine, rounds_of, tables_by_state
from arena.web.states import LIVE, NAMES, State, Tables, Wait, waiting_for

FIXTURES_AT_MOST = 400
"""An event with more shows its newest round alone; the others are on pages of their own."""
ENTRIES_AT_MOST = 200
"""More entries are counted only; the API and the export name them all."""


@dataclasses.dataclass(frozen=True)
class Gone:
    """An entry that left after the field was fixed, and why."""

    entry: EntryLabel
    reason: str


@dataclasses.dataclass(frozen=True)
class OtherRound:
    """A round that is not shown here but on a page of its own."""

    stage: int
    number: int


@dataclasses.dataclass(frozen=True)
class Event:
    """Everything on the page of a tournament."""

    tournament: Tournament
    state_name: str
    wait: Wait
    is_over: bool
    """Nothing changes any more: no stream of changes is offered."""
    is_live: bool
    format: str
    table: TableLabel
    entries: list[EntryLabel]
    entry_count: int
    pending: list[EntryLabel]
    """Pairs that wait for the consent of the partner's owner."""
    gone: list[Gone]
    withdrawn: int
    progress: Progress | None
    tables: Tables
    rankings: list[Ranking]
    """Of every stage that has standings, the last one first."""
    brackets: list[Bracket]
    crosstable: list[CrossLine]
    rounds: list[RoundLine]
    other_rounds: list[OtherRound]
    stages: list[Stage]
    statements: list[Statement]
    """In the order in which they were made, without their bodies."""
    secret: str | None
    """In hex, once it is revealed; never before, for nobody."""
    rules: list[tuple[str, str]]
    options: list[tuple[str, str]]

    @property
    def ranking(self) -> Ranking | None:
        """The standings of the last stage that has any."""
        return self.rankings[0] if self.rankings else None

    @property
    def earlier_rankings(self) -> list[Ranking]:
        """Those of the stages before."""
        return self.rankings[1:]

    @property
    def winner(self) -> EntryLabel | None:
        """First of a final tournament."""
        is_final = self.tournament.state in (State.FINAL, State.ARCHIVED)
        return self.ranking.lines[0].entry if is_final and self.ranking else None

    @property
    def closed_rounds(self) -> int:
        """Rounds that count in the standings shown."""
        stage = self.ranking.stage if self.ranking else 0
        return sum(not played.is_open for played in self.rounds if played.stage == stage)

    @property
    def has_own_entry(self) -> bool:
        """Whether the organiser takes part."""
        return any(entry.is_organisers_own for entry in self.entries)

    @property
    def digests(self) -> list[Stage]:
        """Stages whose field is fixed."""
        return [stage for stage in self.stages if stage.field_digest]


def event_of(tournament: Tournament) -> Event:
    """The page of a tournament, the same for everybody who may see it; a fixed number of queries."""
    state = State(tournament.state)
    rows = list(entries_of(tournament))
    labels = {entry.pk: entry_label(entry) for entry in rows}
    entered = [entry for entry in rows if entry.status == Entry.Status.ENTERED]
    # Seeded ones first, in their order; the others as they came.
    entered.sort(key=lambda entry: (entry.seed is None, entry.seed or 0, entry.pk))
    stages = stages_of(tournament)
    table = table_label(tournament, mixes_partners=partners_change(tournament))
    in_full, others = _rounds_in_full(tournament)
    rounds = rounds_of(tournament, labels, in_full)
    tables = tables_by_state(rounds, workers_alive().count() if state in LIVE else 0)
    rankings = rankings_of(tournament, stages)
    progress = None
    if state in LIVE:
        progress = progress_of([tournament], entry_counts([tournament])).get(tournament.pk)
    return Event(
        tournament=tournament,
        state_name=NAMES[state],
        wait=waiting_for(tournament, len(entered), tables),
        is_over=state in OVER,
        is_live=state in LIVE,
        format=", then ".join(in_sentence(format_title(stage)) for stage in stages),
        table=table,
        entries=[labels[entry.pk] for entry in entered[:ENTRIES_AT_MOST]],
        entry_count=len(entered),
        pending=[labels[entry.pk] for entry in rows if entry.status == Entry.Status.PENDING],
        gone=[
            Gone(labels[entry.pk], entry.status_reason) for entry in rows if entry.status == Entry.Status.LEFT
        ],
        withdrawn=sum(entry.status == Entry.Status.WITHDRAWN for entry in rows),
        progress=progress,
        tables=tables,
        rankings=rankings,
        brackets=brackets_of(stages, {label.id: label for label in labels.values()}),
        crosstable=[] if others else crosstable_of(rankings[0] if rankings else None, stages, rounds),
        rounds=rounds,
        other_rounds=others,
        stages=stages,
        statements=list(statements_of(tournament)),
        secret=bytes(tournament.secret).hex() if tournament.revealed_at else None,
        rules=rule_lines(tournament, stages, table),
        options=option_lines(tournament.ruleset),
    )


def _rounds_in_full(tournament: Tournament) -> tuple[list[int], list[OtherRound]]:
    """Keys of the rounds shown in full, and the others: all of a small event, the newest of a large one."""
    in_full: list[int] = []
    others: list[OtherRound] = []
    total = 0
    for size in round_sizes(tournament):
        total += size.fixtures
        if in_full and total > FIXTURES_AT_MOST:
            others.append(OtherRound(size.stage, size.number))
        else:
            in_full.append(size.key)
    return in_full, others
