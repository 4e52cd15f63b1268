"""Rulings that the fixtures of a pair are void in an event: many adjudications as one act, lifted as one.

What each fixture counts, who ruled and why stands on its page like any other ruling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Invalid, NotFound
from arena.common.states import wrong_state
from arena.competition.impartiality import require_impartial
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import require_organiser
from arena.features.integrity.models import PairRuling
from arena.matches.adjudication import RULABLE_STATES, Kind, fixture_adjudicate, require_reason
from arena.matches.models import Adjudication, Fixture, FixtureEntry, Table
from arena.matches.ruling_notices import rulings_notify


class EventPair(NamedTuple):
    """Two entries of an event, and what ruling on their fixtures comes to."""

    first: Entry
    second: Entry
    """In the order of their keys."""
    ruling: PairRuling | None
    """That holds."""
    fixtures: tuple[Fixture, ...]
    """That would be void, as rounds have drawn them so far."""
    unfinished: int
    """Of these, with tables that are not played to their end: they cannot count again afterwards."""
    ruled: int
    """Further fixtures of the two on which a ruling holds, which stays."""
    fixed: int
    """Further fixtures of stages from whose standings a later one was drawn: they stand."""
    other_entries: int
    """Further entries that play in these fixtures."""
    to_lift: int
    """Fixtures that the ruling that holds made void, and that would count as played again."""


def event_pair(tournament: Tournament, entries: Sequence[str]) -> EventPair:
    """Two entries of an event by public id. Eight queries.

    Raises:
        Invalid: ``entries`` are not two.
        NotFound: ``entry_missing``; ``pair_never_met``: no round drew them as opponents.
    """
    names = sorted(set(entries))
    if len(entries) != 2 or len(names) != 2:
        raise Invalid("Name two entries, each once.", "invalid", field="entries")
    rows = tournament.entries.select_related("player", "version__bot", "partner_version__bot")
    known = {entry.public_id: entry for entry in rows.filter(public_id__in=names)}
    for name in names:
        if name not in known:
            raise NotFound(f"{tournament.name} has no entry {name!r}.", "entry_missing")
    first, second = sorted(known.values(), key=lambda entry: entry.pk)
    met = _opposing_fixtures(tournament, first, second)
    if not met:
        raise NotFound(f"{first} and {second} were not drawn as opponents.", "pair_never_met")
    last = _last_rulings(met)
    ruled = [fixture for fixture in met if fixture.pk in last]
    begun = max(tournament.stages.exclude(field_digest="").values_list("number", flat=True), default=0)
    free = [fixture for fixture in met if fixture.pk not in last]
    fixed = [fixture for fixture in free if fixture.board_set.round.stage.number < begun]
    chosen = [fixture for fixture in free if fixture not in fixed]
    unfinished = _unfinished_fixtures(chosen)
    others = FixtureEntry.objects.filter(fixture__in=chosen).exclude(entry__in=[first, second]).order_by()
    ruling = pair_rulings(tournament).filter(first=first, second=second, lifted_at=None).first()
    return EventPair(
        first,
        second,
        ruling,
        tuple(chosen),
        len(unfinished),
        len(ruled),
        len(fixed),
        others.values("entry").distinct().count(),
        len(_liftable(ruling)) if ruling is not None else 0,
    )


def pair_void(tournament: Tournament, actor: User, entries: Sequence[str], reason: str) -> PairRuling:
    """Rule that all fixtures of two entries drawn so far are void, but for those already ruled on.

    Rounds drawn already keep their pairings; what later rounds draw is not covered.

    Raises:
        Forbidden: neither the organiser nor staff; ``conflict_of_interest``: the actor has or had an entry.
        Invalid: ``entries`` or ``reason``.
        NotFound: ``entry_missing``, ``pair_never_met``.
        Conflict: ``wrong_state``; ``pair_ruled``: a ruling on the pair holds; ``pair_stands``: there is no
            fixture left to rule on.
    """
    require_organiser(actor, tournament)
    require_impartial(actor, tournament)
    text = require_reason(reason)
    with transaction.atomic():
        held = _locked_tournament(tournament, "rule on a pair of")
        pair = event_pair(held, entries)
        if pair.ruling is not None:
            raise Conflict(
                f"A ruling on these two holds: {pair.ruling.reason}. Lift it first.",
                "pair_ruled",
                ruling=pair.ruling.public_id,
                allowed=["lift"],
            )
        if not pair.fixtures:
            raise Conflict(
                f"Nothing is left to rule on: {pair.ruled} fixtures of the two were ruled on, {pair.fixed} "
                "are of stages from whose standings a later one was drawn.",
                "pair_stands",
                ruled=pair.ruled,
                fixed=pair.fixed,
            )
        made = PairRuling.objects.create(
            tournament=held, first=pair.first, second=pair.second, reason=text, actor=actor
        )
        decided = [
            fixture_adjudicate(fixture, actor, Kind.VOID, reason=text, notifies=False)
            for fixture in pair.fixtures
        ]
        made.adjudications.set(decided)
        ruled = {"code": "pair_void", "first": pair.first.bot_name, "second": pair.second.bot_name}
        rulings_notify(held, pair.fixtures, actor, Kind.VOID, ruled, text)
        _audit("rule_on_pair", made, actor, text, [fixture.public_id for fixture in pair.fixtures])
    tournament.refresh_from_db()
    return made


def pair_lift(ruling: PairRuling, actor: User, reason: str) -> PairRuling:
    """Let the fixtures that a ruling made void count as played, but for those ruled on since or not played to
    their end, which stay void.

    Raises:
        Forbidden: neither the organiser nor staff; ``conflict_of_interest``: the actor has or had an entry.
        Invalid: ``reason``.
        Conflict: ``wrong_state``, ``nothing_to_lift``, and ``field_drawn`` once a later stage was drawn.
    """
    require_organiser(actor, ruling.tournament)
    require_impartial(actor, ruling.tournament)
    text = require_reason(reason)
    with transaction.atomic():
        _locked_tournament(ruling.tournament, "lift a ruling in")
        holding = PairRuling.objects.filter(pk=ruling.pk, lifted_at=None)
        if not holding.update(lifted_at=timezone.now(), lifted_by=actor, lift_reason=text):
            raise Conflict("This ruling was lifted before.", "nothing_to_lift", allowed=[])
        fixtures = _liftable(ruling)
        for fixture in fixtures:
            fixture_adjudicate(fixture, actor, Kind.LIFT, reason=text, notifies=False)
        ruling.refresh_from_db()
        ruled = {"code": "pair_lift", "first": ruling.first.bot_name, "second": ruling.second.bot_name}
        rulings_notify(ruling.tournament, fixtures, actor, Kind.LIFT, ruled, text)
        _audit("lift_pair", ruling, actor, text, [fixture.public_id for fixture in fixtures])
    return ruling


def pair_rulings(tournament: Tournament) -> QuerySet[PairRuling]:
    """All rulings on pairs of an event, the latest first, with all that names them and how many
    ``fixtures`` they made void. One query."""
    rows = PairRuling.objects.filter(tournament=tournament).order_by("-pk")
    rows = rows.annotate(fixtures=Count("adjudications"))
    names = ("player", "version__bot", "partner_version__bot")
    both = [f"{side}__{name}" for side in ("first", "second") for name in names]
    return rows.select_related(*both, "actor", "lifted_by", "tournament")


def pair_ruling_get(tournament: Tournament, public_id: str) -> PairRuling:
    """A ruling on a pair of an event.

    Raises:
        NotFound: ``ruling_missing``.
    """
    found = pair_rulings(tournament).filter(public_id=public_id).first()
    if found is None:
        raise NotFound(f"{tournament.name} has no ruling on a pair {public_id!r}.", "ruling_missing")
    return found


def _locked_tournament(tournament: Tournament, verb: str) -> Tournament:
    """The tournament, held until the transaction ends."""
    held = Tournament.objects.select_for_update(of=("self",)).get(pk=tournament.pk)
    if held.state not in RULABLE_STATES:
        raise wrong_state(held, verb, RULABLE_STATES)
    return held


def _opposing_fixtures(tournament: Tournament, first: Entry, second: Entry) -> list[Fixture]:
    """The fixtures in which two entries sit on different sides, in the order they were drawn."""
    sides: dict[int, list[int]] = {}
    rows = FixtureEntry.objects.filter(fixture__tournament=tournament, entry__in=[first, second])
    for fixture, side in rows.order_by("pk").values_list("fixture_id", "side"):
        sides.setdefault(fixture, []).append(side)
    apart = [fixture for fixture, those in sides.items() if len(set(those)) == 2]
    found = Fixture.objects.filter(pk__in=apart).exclude(state=Fixture.State.PLANNED)
    return list(found.select_related("board_set__round__stage", "tournament").order_by("pk"))


def _last_rulings(fixtures: Sequence[Fixture]) -> dict[int, Adjudication]:
    """The ruling that holds, by key of the fixture; none of those without. One query."""
    rows = Adjudication.objects.filter(fixture__in=fixtures).order_by("fixture", "number")
    last = {row.fixture_id: row for row in rows}
    return {fixture: row for fixture, row in last.items() if row.kind != Kind.LIFT}


def _unfinished_fixtures(fixtures: Sequence[Fixture]) -> set[int]:
    """Keys of those with tables that were not played to their end. One query."""
    rows = Table.objects.filter(fixture__in=fixtures).exclude(state=Table.State.FINISHED)
    return set(rows.order_by().values_list("fixture_id", flat=True).distinct())


def _liftable(ruling: PairRuling) -> list[Fixture]:
    """The fixtures on which what a ruling decided still holds, and that were played to their end."""
    rows = ruling.adjudications.select_related("fixture__tournament", "fixture__board_set__round__stage")
    decided = list(rows.order_by("fixture"))
    last = _last_rulings([row.fixture for row in decided])
    holding = [row.fixture for row in decided if last.get(row.fixture_id) == row]
    gone = _unfinished_fixtures(holding)
    return [fixture for fixture in holding if fixture.pk not in gone]


def _audit(verb: str, ruling: PairRuling, actor: User, reason: str, fixtures: list[str]) -> None:
    entries = [ruling.first.public_id, ruling.second.public_id]
    audit(actor, verb, ruling.tournament, entries=entries, fixtures=fixtures, reason=reason)
