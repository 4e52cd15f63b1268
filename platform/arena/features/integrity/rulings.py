"""Rulings on pairs of an event: one ruling voids all fixtures of two entries, and can be lifted."""

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
    """Two entries of an event, and the effects of a ruling on them."""

    first: Entry
    second: Entry
    ruling: PairRuling | None
    fixtures: tuple[Fixture, ...]
    """Fixtures drawn so far that a ruling would void."""
    unfinished: int
    ruled: int
    """Further fixtures of the two with an earlier ruling, which stays in force."""
    fixed: int
    """Further fixtures in stages from whose standings a later stage was drawn; they keep their results."""
    other_entries: int
    """Number of other entries in these fixtures."""
    to_lift: int
    """Fixtures that would count as played again if the ruling in force were lifted."""


def event_pair(tournament: Tournament, entries: Sequence[str]) -> EventPair:
    """Return two entries of an event, given by public id. Eight queries.

    Raises Invalid (``entries``), NotFound (``entry_not_found``, ``pair_never_met``).
    """
    names = sorted(set(entries))
    if len(entries) != 2 or len(names) != 2:
        raise Invalid("Name two different entries.", "invalid", field="entries")
    rows = tournament.entries.select_related("player", "version__bot", "partner_version__bot")
    known = {entry.public_id: entry for entry in rows.filter(public_id__in=names)}
    for name in names:
        if name not in known:
            raise NotFound(f"{tournament.name} has no entry {name!r}.", "entry_not_found")
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
    other_sides = (
        FixtureEntry.objects.filter(fixture__in=chosen).exclude(entry__in=[first, second]).order_by()
    )
    ruling = pair_rulings(tournament).filter(first=first, second=second, lifted_at=None).first()
    return EventPair(
        first,
        second,
        ruling,
        tuple(chosen),
        len(unfinished),
        len(ruled),
        len(fixed),
        other_sides.values("entry").distinct().count(),
        len(_liftable(ruling)) if ruling is not None else 0,
    )


def pair_void(tournament: Tournament, actor: User, entries: Sequence[str], reason: str) -> PairRuling:
    """Void all fixtures of two entries that were drawn so far and have no earlier ruling.

    Raises Forbidden, also ``conflict_of_interest``; Invalid (``entries``, ``reason``); NotFound
    (``entry_not_found``, ``pair_never_met``); Conflict (``wrong_state``, ``pair_ruled``,
    ``no_fixtures_to_rule`` if no fixture is left).
    """
    require_organiser(actor, tournament)
    require_impartial(actor, tournament)
    text = require_reason(reason)
    with transaction.atomic():
        locked = _locked_tournament(tournament, "rule on a pair of")
        pair = event_pair(locked, entries)
        if pair.ruling is not None:
            raise Conflict(
                f"A ruling on this pair is in force: {pair.ruling.reason}. Lift it first.",
                "pair_ruled",
                ruling=pair.ruling.public_id,
                allowed=["lift"],
            )
        if not pair.fixtures:
            raise Conflict(
                f"Nothing is left to rule on: {pair.ruled} fixtures of the two were ruled on, {pair.fixed} "
                "are of stages from whose standings a later one was drawn.",
                "no_fixtures_to_rule",
                ruled=pair.ruled,
                fixed=pair.fixed,
            )
        ruling = PairRuling.objects.create(
            tournament=locked, first=pair.first, second=pair.second, reason=text, actor=actor
        )
        decided = [
            fixture_adjudicate(fixture, actor, Kind.VOID, reason=text, notifies=False)
            for fixture in pair.fixtures
        ]
        ruling.adjudications.set(decided)
        ruled = {"code": "pair_void", "first": pair.first.bot_name, "second": pair.second.bot_name}
        rulings_notify(locked, pair.fixtures, actor, Kind.VOID, ruled, text)
        _audit("rule_on_pair", ruling, actor, text, [fixture.public_id for fixture in pair.fixtures])
    tournament.refresh_from_db()
    return ruling


def pair_lift(ruling: PairRuling, actor: User, reason: str) -> PairRuling:
    """Let the fixtures of a ruling count as played again, except later ruled or unfinished ones.

    Raises Forbidden, also ``conflict_of_interest``; Invalid (``reason``); Conflict (``wrong_state``,
    ``nothing_to_lift``, ``field_drawn`` once a later stage was drawn).
    """
    require_organiser(actor, ruling.tournament)
    require_impartial(actor, ruling.tournament)
    text = require_reason(reason)
    with transaction.atomic():
        _locked_tournament(ruling.tournament, "lift a ruling in")
        holding = PairRuling.objects.filter(pk=ruling.pk, lifted_at=None)
        if not holding.update(lifted_at=timezone.now(), lifted_by=actor, lift_reason=text):
            raise Conflict("This ruling is already lifted.", "nothing_to_lift", allowed=[])
        fixtures = _liftable(ruling)
        for fixture in fixtures:
            fixture_adjudicate(fixture, actor, Kind.LIFT, reason=text, notifies=False)
        ruling.refresh_from_db()
        ruled = {"code": "pair_lift", "first": ruling.first.bot_name, "second": ruling.second.bot_name}
        rulings_notify(ruling.tournament, fixtures, actor, Kind.LIFT, ruled, text)
        _audit("lift_pair", ruling, actor, text, [fixture.public_id for fixture in fixtures])
    return ruling


def pair_rulings(tournament: Tournament) -> QuerySet[PairRuling]:
    """Return all rulings on pairs of an event, newest first, with names and ``fixtures``. One query."""
    rows = PairRuling.objects.filter(tournament=tournament).order_by("-pk")
    rows = rows.annotate(fixtures=Count("adjudications"))
    names = ("player", "version__bot", "partner_version__bot")
    both = [f"{side}__{name}" for side in ("first", "second") for name in names]
    return rows.select_related(*both, "actor", "lifted_by", "tournament")


def pair_ruling_get(tournament: Tournament, public_id: str) -> PairRuling:
    """Return a ruling by public id. Raises NotFound (``ruling_not_found``)."""
    ruling = pair_rulings(tournament).filter(public_id=public_id).first()
    if ruling is None:
        raise NotFound(f"{tournament.name} has no ruling on a pair {public_id!r}.", "ruling_not_found")
    return ruling


def _locked_tournament(tournament: Tournament, verb: str) -> Tournament:
    locked = Tournament.objects.select_for_update(of=("self",)).get(pk=tournament.pk)
    if locked.state not in RULABLE_STATES:
        raise wrong_state(locked, verb, RULABLE_STATES)
    return locked


def _opposing_fixtures(tournament: Tournament, first: Entry, second: Entry) -> list[Fixture]:
    """Return the fixtures in which two entries are on different sides, in the order of the draw."""
    sides: dict[int, list[int]] = {}
    rows = FixtureEntry.objects.filter(fixture__tournament=tournament, entry__in=[first, second])
    for fixture, side in rows.order_by("pk").values_list("fixture_id", "side"):
        sides.setdefault(fixture, []).append(side)
    apart = [fixture for fixture, fixture_sides in sides.items() if len(set(fixture_sides)) == 2]
    fixtures = Fixture.objects.filter(pk__in=apart).exclude(state=Fixture.State.PLANNED)
    return list(fixtures.select_related("board_set__round__stage", "tournament").order_by("pk"))


def _last_rulings(fixtures: Sequence[Fixture]) -> dict[int, Adjudication]:
    """Return the ruling in force by fixture key. One query."""
    rows = Adjudication.objects.filter(fixture__in=fixtures).order_by("fixture", "number")
    last = {row.fixture_id: row for row in rows}
    return {fixture: row for fixture, row in last.items() if row.kind != Kind.LIFT}


def _unfinished_fixtures(fixtures: Sequence[Fixture]) -> set[int]:
    rows = Table.objects.filter(fixture__in=fixtures).exclude(state=Table.State.FINISHED)
    return set(rows.order_by().values_list("fixture_id", flat=True).distinct())


def _liftable(ruling: PairRuling) -> list[Fixture]:
    """Return the finished fixtures on which the ruling's adjudication is still in force."""
    rows = ruling.adjudications.select_related("fixture__tournament", "fixture__board_set__round__stage")
    decided = list(rows.order_by("fixture"))
    last = _last_rulings([row.fixture for row in decided])
    holding = [row.fixture for row in decided if last.get(row.fixture_id) == row]
    unfinished = _unfinished_fixtures(holding)
    return [fixture for fixture in holding if fixture.pk not in unfinished]


def _audit(verb: str, ruling: PairRuling, actor: User, reason: str, fixtures: list[str]) -> None:
    entries = [ruling.first.public_id, ruling.second.public_id]
    audit(actor, verb, ruling.tournament, entries=entries, fixtures=fixtures, reason=reason)
