"""One seeded event: created, entered, locked and played as far as its state requires."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from arena.common.states import state_change
from arena.competition.models import Entry, Stage, Statement, Tournament
from arena.competition.services import (
    tournament_archive,
    tournament_create,
    tournament_lock,
    tournament_move,
    tournament_open,
    tournament_pause,
    tournament_start,
)
from arena.jobs.flow import tournament_cancel
from arena.matches.models import BoardSet
from arena.matches.rounds import stage_finish
from arena.roster.models import BotVersion
from arena.standings.endings import ended_statement_publish
from arena.standings.services import next_stage_entries_fix, standings_rebuild
from benchmarks.seeding.bundles import program
from benchmarks.seeding.draw import SeededRandom, secret_bytes
from benchmarks.seeding.people import BATCH, SeededPeople, audits_add
from benchmarks.seeding.programme import PLAYED, EventPlan
from benchmarks.seeding.rounds import RoundWriter

State = Tournament.State
ROUND_MINUTES = 30
ENDED = (*PLAYED, State.CANCELLED)
PAIR_GAME_STYLES = ("first", "fickle", "brittle")
MULTI_SEAT_STYLES = ("middle", "brittle")
SEEDED = """Seeded by python -m benchmarks.seeding (seed {seed}) for load work: no event that anybody held. \
Deals, records, results and standings are real and can be derived again; the bots were asked in the server's \
own process, without a sandbox, and times and CPU are made up. The secret follows from the seed."""
PAUSED_FOR = "seeded: paused by the organiser"
CANCELLED_FOR = "seeded: broken off by the organiser"
ReportProgress = Callable[[int], None]
"""Callback with the number of fixtures just written."""


class SeededEvent(NamedTuple):
    """A seeded event before its final state."""

    tournament: Tournament
    fixtures: int
    end: Callable[[], None]
    """Moves the event to its state, once the closing order is known, because the last statement
    includes it.
    """


def event_make(
    seed: int,
    serial: int,
    planned: EventPlan,
    cast: SeededPeople,
    until: datetime.datetime,
    report_progress: ReportProgress,
) -> SeededEvent:
    """Create an event with everything below it. Every round is a transaction."""
    draw = SeededRandom(seed, f"event {serial}")
    organiser = cast.organisers[serial % len(cast.organisers)]
    ago = datetime.timedelta(days=60 - serial % 50) if planned.state in ENDED else datetime.timedelta(hours=6)
    begins = until - ago - datetime.timedelta(minutes=serial)
    with transaction.atomic():
        tournament = tournament_create(
            organiser,
            name=f"Seeded {planned.name}",
            description=SEEDED.format(seed=seed),
            preset=planned.preset,
            boards_per_round=planned.boards,
            stages=planned.stages,
            max_entries=planned.entries,
            entries_per_player=50,
        )
        tournament.secret = secret_bytes(seed, str(serial))
        tournament.save(update_fields=["secret"])
        if planned.state != State.DRAFT:
            tournament_open(tournament, organiser)
            _enter(tournament, planned, cast)
        if planned.state not in (State.DRAFT, State.OPEN):
            tournament_lock(tournament, None)
        if planned.fixtures:
            tournament_start(tournament, None)
    fixtures = _play(tournament, planned, draw, begins, until, report_progress) if planned.fixtures else 0

    def end() -> None:
        tournament.refresh_from_db()
        _bring(tournament, planned.state)
        _date(tournament, begins, until)

    return SeededEvent(tournament, fixtures, end)


def _enter(tournament: Tournament, planned: EventPlan, cast: SeededPeople) -> None:
    """Enter the planned number of versions, the first of the list; some as pairs of two bots."""
    versions = _eligible(cast.versions[planned.game], planned)
    pairs = planned.entries // 4 if planned.with_pairs else 0
    entries = []
    for number in range(planned.entries):
        # Neighbours in the list have one owner, so they can form pairs without an invitation.
        version = versions[2 * number] if number < pairs else versions[pairs + number]
        partner = versions[2 * number + 1] if number < pairs else None
        if partner is not None and partner.bot.owner_id != version.bot.owner_id:
            partner = None
        entries.append(
            Entry(
                tournament=tournament,
                player=version.bot.owner,
                version=version,
                partner_version=partner,
                seed=number + 1 if number < 4 else None,
                accepts_partners=True,
            )
        )
    Entry.objects.bulk_create(entries, batch_size=BATCH)
    audits_add(
        "enter",
        "entry",
        (
            (entry, entry.player, {"tournament": tournament.public_id, "version": entry.version.public_id})
            for entry in entries
        ),
    )


def _eligible(versions: list[BotVersion], planned: EventPlan) -> list[BotVersion]:
    """Return the versions to choose entries from.

    Events with many rounds or seats use only a few kinds of bots, so that few distinct tables have to be
    played.
    """
    if planned.is_small:
        return versions
    few = {program(style).sha256 for style in (PAIR_GAME_STYLES if planned.sides == 2 else MULTI_SEAT_STYLES)}
    return sorted(versions, key=lambda version: version.bundle_sha256 not in few)


def _play(
    tournament: Tournament,
    planned: EventPlan,
    draw: SeededRandom,
    begins: datetime.datetime,
    until: datetime.datetime,
    report_progress: ReportProgress,
) -> int:
    clock = _Clock(begins, until)
    fixtures = cpu_ms = 0
    ending = "closed" if planned.state in PLAYED else "cut" if planned.state == State.CANCELLED else "open"
    before: Stage | None = None
    for stage in tournament.stages.order_by("number"):
        stage.tournament = tournament
        if before is not None:
            stage_finish(before)
            next_stage_entries_fix(stage)
        state_change(stage, "state", Stage.State.PLANNED, Stage.State.RUNNING)
        writer = RoundWriter(stage, draw)
        a_round = max(1, stage.stage_entries.count() // max(2, planned.sides))
        is_over = False
        number = 0
        while not is_over:
            number += 1
            is_over = planned.state not in PLAYED and (
                fixtures + a_round >= planned.fixtures
                or (writer.is_last(number) and stage.number == len(planned.stages))
            )
            how = ending if is_over else "closed"
            written = writer.write(number, clock.next(), ROUND_MINUTES - 2, how)
            if written is None:
                break
            fixtures += written.fixtures
            cpu_ms += written.cpu_ms
            report_progress(written.fixtures)
        standings_rebuild(stage)
        before = stage
        if is_over:
            break
    Tournament.objects.filter(pk=tournament.pk).update(cpu_ms_spent=cpu_ms)
    if planned.state in PLAYED and before is not None:
        stage_finish(before)
    return fixtures


class _Clock:
    def __init__(self, begins: datetime.datetime, until: datetime.datetime) -> None:
        self._at = begins
        self._latest = until - datetime.timedelta(minutes=ROUND_MINUTES + 5)

    def next(self) -> datetime.datetime:
        self._at += datetime.timedelta(minutes=ROUND_MINUTES)
        return min(self._at, self._latest)


def _bring(tournament: Tournament, state: str) -> None:
    actor = tournament.organiser
    if state == State.PAUSED:
        tournament_pause(tournament, actor, PAUSED_FOR)
    elif state == State.CANCELLED:
        tournament_cancel(tournament, actor, CANCELLED_FOR)
    elif state in PLAYED:
        tournament_move(tournament, State.RUNNING, State.PROVISIONAL, verb="finish", actor=None)
        if state != State.PROVISIONAL:
            tournament_move(
                tournament,
                State.PROVISIONAL,
                State.FINAL,
                verb="finalise",
                actor=None,
                on_move=lambda: ended_statement_publish(tournament, Statement.Kind.FINAL),
                revealed_at=timezone.now(),
            )
        if state == State.ARCHIVED:
            tournament_archive(tournament, actor)


def _date(tournament: Tournament, begins: datetime.datetime, until: datetime.datetime) -> None:
    last = BoardSet.objects.filter(round__stage__tournament=tournament).aggregate(at=Max("closed_at"))["at"]
    ended = last or min(begins, until)
    Tournament.objects.filter(pk=tournament.pk).update(
        created_at=begins - datetime.timedelta(days=5), state_at=ended
    )
    if tournament.revealed_at is not None:
        Tournament.objects.filter(pk=tournament.pk).update(revealed_at=ended)
