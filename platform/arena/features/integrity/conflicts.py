"""Conflicts of interest: rulings by an account with an entry in the event, or linked to an owner.

Services reject rulings by entrants. This module finds others, and links that arise later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db.models import F, Q

from arena.accounts.house import house_account_filter
from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.features.integrity.models import Finding
from arena.matches.models import Adjudication, FixtureEntry
from arena.roster.models import BotVersion

Link = Finding.Link
PARTICIPATING = (Entry.Status.ENTERED, Entry.Status.LEFT)


class RulingConflict(NamedTuple):
    """Rulings of one account on an entry of its own, or of a linked account."""

    tournament: int
    entry: str
    adjudicator: int
    link: str
    """A value of ``Finding.Link``."""
    rulings: int
    fixtures: tuple[str, ...]
    """Public ids of the fixtures ruled on, in key order."""


class _PersonRuling(NamedTuple):
    tournament: int
    fixture: int
    public_id: str
    adjudicator: int


def ruling_conflicts(tournaments: Collection[int]) -> list[RulingConflict]:
    """Return the conflicts in events, given by key. One query without rulings by persons, else up to six."""
    rows = Adjudication.objects.filter(fixture__tournament__in=tournaments, actor__isnull=False)
    columns = ("fixture__tournament_id", "fixture_id", "fixture__public_id", "actor_id")
    ruled = [_PersonRuling(*row) for row in rows.order_by("fixture", "number").values_list(*columns)]
    if not ruled:
        return []
    owners = _owners({ruling.tournament for ruling in ruled})
    playing: dict[int, set[int]] = defaultdict(set)
    placed = FixtureEntry.objects.filter(fixture__in={ruling.fixture for ruling in ruled}).order_by()
    for fixture, entry in placed.values_list("fixture_id", "entry_id"):
        playing[fixture].add(entry)
    links = _links({ruling.adjudicator for ruling in ruled})
    conflicts: dict[tuple[int, str, int, str], list[str]] = defaultdict(list)
    for ruling in ruled:
        for entry, (public_id, users) in owners[ruling.tournament].items():
            if ruling.adjudicator in users:
                conflicts[ruling.tournament, public_id, ruling.adjudicator, Link.SAME].append(
                    ruling.public_id
                )
            elif entry in playing[ruling.fixture]:
                kinds = {
                    links[pair] for user in users if (pair := frozenset((ruling.adjudicator, user))) in links
                }
                for link in sorted(kinds):
                    conflicts[ruling.tournament, public_id, ruling.adjudicator, link].append(ruling.public_id)
    return [
        RulingConflict(*key, rulings=len(fixtures), fixtures=tuple(dict.fromkeys(fixtures)))
        for key, fixtures in sorted(conflicts.items())
    ]


def events_ruled_on() -> list[int]:
    """Return keys of events in which a person made a ruling. One query."""
    rows = Adjudication.objects.filter(
        actor__isnull=False, fixture__tournament__kind=Tournament.Kind.TOURNAMENT
    )
    return list(rows.order_by().values_list("fixture__tournament_id", flat=True).distinct())


def findings_of_rulings(tournament: int) -> list[Finding]:
    return [
        Finding(
            subject=Finding.Subject.RULINGS,
            kind=Finding.Kind.RULED,
            entry=conflict.entry,
            adjudicator_id=conflict.adjudicator,
            link=conflict.link,
            observed=conflict.rulings,
            meetings=len(conflict.fixtures),
            boards=0,
            fixtures=list(conflict.fixtures),
        )
        for conflict in ruling_conflicts([tournament])
    ]


def events_to_report() -> list[int]:
    """Return keys of events whose report differs from the current conflicts."""
    current = {
        (row.tournament, row.entry, row.adjudicator, row.link, row.fixtures)
        for row in ruling_conflicts(events_ruled_on())
    }
    stored = Finding.objects.filter(subject=Finding.Subject.RULINGS, report__tournament__isnull=False)
    reported = {
        (*row[:4], tuple(row[4]))
        for row in stored.values_list("report__tournament_id", "entry", "adjudicator_id", "link", "fixtures")
    }
    return sorted({row[0] for row in current ^ reported})


def _owners(tournaments: Iterable[int]) -> dict[int, dict[int, tuple[str, frozenset[int]]]]:
    """Return public id and participating accounts by event key and entry key. One query."""
    rows = Entry.objects.filter(tournament__in=tournaments).order_by("pk")
    owners: dict[int, dict[int, tuple[str, frozenset[int]]]] = defaultdict(dict)
    columns = ("tournament_id", "pk", "public_id", "status", "player__user_id")
    for tournament, pk, public_id, status, owner, partner in rows.values_list(
        *columns, "partner_version__bot__owner__user_id"
    ):
        agreed = {partner} if partner is not None and status in PARTICIPATING else set()
        owners[tournament][pk] = (public_id, frozenset({owner} | agreed))
    return owners


def _links(users: Collection[int]) -> dict[frozenset[int], str]:
    """Return the links of accounts to ``users``, by pair of keys. Three queries.

    Accounts are linked if their bots formed a pair, or if only the two, not house accounts, uploaded the same
    bundle.
    """
    house = set(User.objects.filter(house_account_filter()).values_list("pk", flat=True))
    links: dict[frozenset[int], str] = {}
    bundles = BotVersion.objects.filter(bot__owner__user__in=users).order_by().values("bundle_sha256")
    holders: dict[str, set[int]] = defaultdict(set)
    rows = BotVersion.objects.filter(bundle_sha256__in=bundles).order_by()
    for bundle, user in rows.values_list("bundle_sha256", "bot__owner__user_id").distinct():
        holders[bundle].add(user)
    for users_of_bundle in holders.values():
        if len(users_of_bundle) == 2 and not users_of_bundle & house:
            links[frozenset(users_of_bundle)] = Link.BUNDLE
    partner = "partner_version__bot__owner__user"
    pairs = Entry.objects.filter(status__in=PARTICIPATING, partner_version__isnull=False)
    pairs = pairs.filter(Q(player__user__in=users) | Q(**{f"{partner}__in": users}))
    pairs = pairs.exclude(**{partner: F("player__user")}).order_by()
    for first, second in pairs.values_list("player__user_id", f"{partner}_id").distinct():
        if not {first, second} & house:
            links[frozenset((first, second))] = Link.PAIR
    return links
