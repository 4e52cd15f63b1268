"""One tournament as its page shows it."""

from __future__ import annotations

import dataclasses

from arena.competition.models import Entry, Stage, Tournament
from arena.competition.selectors import OVER, format_title
from arena.matches.workers import workers_alive
from arena.web.labels import (
    EntryLabel,
    TableLabel,
    entry_label,
    option_lines,
    rule_lines,
    table_label,
)
from arena.web.progress import Progress, entry_counts, progress_of
from arena.web.ranking import CrossLine, Ranking, crosstable_of, ranking_of
from arena.web.rounds import RoundLine, rounds_of, tables_by_state
from arena.web.states import LIVE, NAMES, State, Tables, Wait, waiting_for


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
    withdrawn: int
    progress: Progress | None
    tables: Tables
    ranking: Ranking | None
    crosstable: list[CrossLine]
    rounds: list[RoundLine]
    stages: list[Stage]
    secret: str | None
    """In hex, once it is revealed; never before, for nobody."""
    rules: list[tuple[str, str]]
    options: list[tuple[str, str]]

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
    rows = list(
        tournament.entries.select_related("player", "version__bot", "partner_version__bot").order_by("id")
    )
    labels = {entry.pk: entry_label(entry) for entry in rows}
    entered = [entry for entry in rows if entry.status == Entry.Status.ENTERED]
    # Seeded ones first, in their order; the others as they came.
    entered.sort(key=lambda entry: (entry.seed is None, entry.seed or 0, entry.pk))
    stages = list(tournament.stages.order_by("number"))
    rounds = rounds_of(tournament, labels)
    workers = 0
    if state in LIVE:
        workers = workers_alive().count()
    tables = tables_by_state(rounds, workers)
    ranking = ranking_of(tournament)
    progress = None
    if state in LIVE:
        progress = progress_of([tournament], entry_counts([tournament])).get(tournament.pk)
    return Event(
        tournament=tournament,
        state_name=NAMES[state],
        wait=waiting_for(tournament, len(entered), tables),
        is_over=state in OVER,
        is_live=state in LIVE,
        format=", then ".join(format_title(stage).lower() for stage in stages),
        table=table_label(tournament),
        entries=[labels[entry.pk] for entry in entered],
        withdrawn=len(rows) - len(entered),
        progress=progress,
        tables=tables,
        ranking=ranking,
        crosstable=crosstable_of(ranking, rounds),
        rounds=rounds,
        stages=stages,
        secret=bytes(tournament.secret).hex() if tournament.revealed_at else None,
        rules=rule_lines(tournament),
        options=option_lines(tournament.ruleset),
    )
