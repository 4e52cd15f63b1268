"""Rulings on fixtures by organisers, staff or the system, and their consequences."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Invalid
from arena.common.notes import Note, note_in_english, typed_note
from arena.common.states import wrong_state
from arena.common.texts import require_visible_characters
from arena.competition.impartiality import require_impartial
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.selectors import require_organiser
from arena.competition.services import tournament_move, tournament_touch
from arena.matches.models import Adjudication, BoardSet, Fixture, Table, TableSeat
from arena.matches.results import fixture_done_notify, tables_void
from arena.matches.ruling_notices import fixture_ruling_notify

Kind = Adjudication.Kind
RULABLE_STATES = (Tournament.State.RUNNING, Tournament.State.PAUSED, Tournament.State.PROVISIONAL)
"""States of a tournament in which fixtures can be ruled on and tables replayed."""
MAX_REASON_LENGTH = 300


def fixture_adjudicate(
    fixture: Fixture,
    actor: User | None,
    kind: str,
    entries: Collection[str] = (),
    reason: str = "",
    *,
    notifies: bool = True,
) -> Adjudication:
    """Rule on a fixture: ``forfeit`` by some of its entries, ``draw``, ``void`` or ``lift``.

    ``entries`` are public ids. ``actor`` None stands for the system. Unfinished tables of the fixture become
    void. Rounds that were drawn keep their pairings. A provisional tournament returns to running until its
    scores are rebuilt and audited again. Entrants are notified of rulings by persons, unless ``notifies`` is
    False.

    Raises Forbidden, also ``conflict_of_interest``; Invalid with ``extra["field"]``; Conflict
    ``wrong_state``, ``fixture_is_bye``, ``tables_unfinished`` and ``nothing_to_lift`` (lift),
    ``ruling_unchanged``, ``field_drawn`` once a later stage was drawn from its stage.
    """
    require_organiser(actor, fixture.tournament)
    require_impartial(actor, fixture.tournament)
    text = require_reason(reason)
    if kind not in Kind.values:
        raise Invalid(
            f"{kind!r} is not a ruling; rulings: {', '.join(Kind.values)}.",
            "invalid",
            field="kind",
            allowed=list(Kind.values),
        )
    with transaction.atomic():
        play = fixture_lock(fixture, "rule on a fixture of")
        ruling = _Ruling(Kind(kind), sorted(set(entries)))
        _require_valid_ruling(play.fixture, ruling)
        adjudication = _adjudicate(play, ruling, typed_note(text), actor)
        if actor is not None and notifies:
            fixture_ruling_notify(play.fixture, actor, ruling.kind, ruling.entries, text)
        return adjudication


def departed_entries_forfeit(tournament: Tournament) -> int:
    """Rule a forfeit on open fixtures of entries that left; return how many. One query if none."""
    sides = Fixture.objects.filter(
        tournament=tournament,
        state=Fixture.State.OPEN,
        board_set__state=BoardSet.State.OPEN,
        sides__entry__status=Entry.Status.LEFT,
    )
    forfeited = 0
    for fixture in sides.distinct().order_by("pk"):
        with transaction.atomic():
            play = fixture_lock(fixture, "forfeit a fixture of")
            departed = play.fixture.sides.filter(entry__status=Entry.Status.LEFT)
            left = sorted(departed.values_list("entry__public_id", flat=True))
            if play.fixture.state == Fixture.State.OPEN:
                _adjudicate(play, _Ruling(Kind.FORFEIT, left), {"code": "entry_left"}, None)
                forfeited += 1
    return forfeited


class LockedFixture(NamedTuple):
    """A fixture and its tournament, locked until the transaction ends."""

    tournament: Tournament
    stage: Stage
    round: Round
    fixture: Fixture


class _Ruling(NamedTuple):
    kind: Kind
    entries: list[str]


def require_reason(reason: str) -> str:
    text = reason.strip()
    if not text:
        raise Invalid("Give a reason, which entrants can read.", "reason_required", field="reason")
    if len(text) > MAX_REASON_LENGTH:
        raise Invalid(f"A reason has at most {MAX_REASON_LENGTH} characters.", "invalid", field="reason")
    return require_visible_characters("reason", text)


def fixture_lock(fixture: Fixture, verb: str) -> LockedFixture:
    """Lock and reload a fixture and its tournament. Raises Conflict ``wrong_state``, ``field_drawn``."""
    # Lock the tournament first (``competition.transitions``).
    tournament = Tournament.objects.select_for_update(of=("self",)).get(pk=fixture.tournament_id)
    if tournament.state not in RULABLE_STATES:
        raise wrong_state(tournament, verb, RULABLE_STATES)
    rows = Fixture.objects.select_for_update(of=("self",)).select_related("board_set__round__stage")
    locked = rows.get(pk=fixture.pk)
    stage = locked.board_set.round.stage
    later = tournament.stages.filter(number__gt=stage.number).exclude(field_digest="")
    if later.exists():
        raise Conflict(
            f"Stage {stage.number + 1} was drawn from the standings of stage {stage.number}, which can no "
            "longer change.",
            "field_drawn",
            state=tournament.state,
            stage=stage.number,
            allowed=["cancel", "close_early"],
        )
    return LockedFixture(tournament, stage, locked.board_set.round, locked)


def _require_valid_ruling(fixture: Fixture, ruling: _Ruling) -> None:
    names = sorted(fixture.sides.values_list("entry__public_id", flat=True))
    if len(names) == 1:
        raise Conflict("This is a bye: without an opponent there is no result to rule on.", "fixture_is_bye")
    if ruling.kind == Kind.FORFEIT:
        strangers = sorted(set(ruling.entries) - set(names))
        if strangers or not ruling.entries:
            whose = (
                f"{strangers[0]!r} does not play this fixture"
                if strangers
                else "name the entries that forfeit"
            )
            raise Invalid(f"In entries: {whose}.", "invalid", field="entries", allowed=names)
    elif ruling.entries:
        raise Invalid("Only a forfeit takes entries; leave them out.", "invalid", field="entries", allowed=[])
    last = current_ruling(fixture)
    if last is not None and (last.kind, last.entries) == (ruling.kind, ruling.entries):
        raise Conflict(
            f"This ruling is already in force: {last.reason}. Make another one, or lift it.",
            "ruling_unchanged",
            ruling=last.number,
            allowed=["adjudicate"],
        )
    if ruling.kind == Kind.LIFT:
        if last is None:
            raise Conflict("This fixture has no ruling to lift.", "nothing_to_lift", state=fixture.state)
        unfinished = fixture.tables.exclude(state=Table.State.FINISHED).count()
        if unfinished:
            raise Conflict(
                f"{unfinished} of its tables were not finished, so there is no result to restore. "
                "Make another ruling.",
                "tables_unfinished",
                unfinished=unfinished,
                allowed=[Kind.FORFEIT, Kind.DRAW, Kind.VOID],
            )


def current_ruling(fixture: Fixture) -> Adjudication | None:
    last = fixture.adjudications.order_by("-number").first()
    return None if last is None or last.kind == Kind.LIFT else last


def _adjudicate(play: LockedFixture, ruling: _Ruling, note: Note, actor: User | None) -> Adjudication:
    fixture, before = play.fixture, play.fixture.state
    adjudication = Adjudication.objects.create(
        tournament_id=fixture.tournament_id,
        fixture=fixture,
        number=fixture.adjudications.count() + 1,
        kind=ruling.kind,
        entries=ruling.entries,
        rounds_opened=play.stage.rounds.exclude(state=Round.State.PLANNED).count(),
        note=note,
        actor=actor,
    )
    is_closed = not fixture.board_set.is_sealed
    fixture.state = _state_after(fixture, ruling.kind)
    fixture.note = {} if ruling.kind == Kind.LIFT else note
    fixture.scores_stale = is_closed
    fixture.done_at = timezone.now()
    fixture.save(update_fields=["state", "note", "scores_stale", "done_at"])
    audit(
        actor,
        "adjudicate",
        fixture,
        {"state": before},
        state=fixture.state,
        ruling=ruling.kind,
        entries=ruling.entries,
        reason=note_in_english(note),
    )
    if before == Fixture.State.OPEN:
        tables_void(fixture)
        fixture_done_notify(fixture, play.tournament.public_id)
    tournament_reopen(play, {"code": "adjudicated", "text": note_in_english(note)}, actor)
    return adjudication


def _state_after(fixture: Fixture, kind: Kind) -> Fixture.State:
    if kind == Kind.VOID:
        return Fixture.State.VOID
    if kind == Kind.DRAW:
        return Fixture.State.SETTLED
    if kind == Kind.FORFEIT or TableSeat.objects.filter(table__fixture=fixture, forfeited=True).exists():
        return Fixture.State.FORFEITED
    return Fixture.State.SETTLED


def tournament_reopen(play: LockedFixture, note: Note, actor: User | None) -> None:
    """Move a provisional tournament back to running and its audit is void; else raise the revision."""
    if play.tournament.state == Tournament.State.PROVISIONAL:
        tournament_move(
            play.tournament,
            Tournament.State.PROVISIONAL,
            Tournament.State.RUNNING,
            verb="reopen",
            actor=actor,
            state_note=note,
        )
    else:
        tournament_touch(play.tournament)
