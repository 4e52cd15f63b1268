"""Rulings on pairs of a list: staff exclude the fixtures between two versions from the list alone."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound
from arena.features.ratings.models import ExcludedPair, RatedSet, RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.matches.adjudication import require_reason
from arena.matches.models import FixtureEntry
from arena.roster.models import BotVersion
from league.rating.fixtures import fixtures_between


class ListPair(NamedTuple):
    first: BotVersion
    second: BotVersion
    """Has the higher key."""
    ruling: ExcludedPair | None
    fixtures: tuple[str, ...]
    """Public ids of counted fixtures that would be excluded."""
    boards: int
    events: int
    others: int


def list_pair(rating_list: RatingList, versions: Sequence[str]) -> ListPair:
    """Return two versions of a list, given by public id. Six queries.

    Raises Invalid (``versions``), NotFound (``pair_never_met``).
    """
    names = sorted(set(versions))
    if len(versions) != 2 or len(names) != 2:
        raise Invalid("Name two different versions.", "invalid", field="versions")
    rows = BotVersion.objects.filter(public_id__in=names).select_related("bot__owner")
    known = list(rows.order_by("pk"))
    ruling = None
    if len(known) == 2:
        holding = ExcludedPair.objects.filter(
            list=rating_list, first=known[0], second=known[1], lifted_at=None
        )
        ruling = holding.select_related("actor").first()
    fixtures: list[str] = []
    other_names: set[str] = set()
    boards, sets = 0, set()
    for set_scores in list_set_scores(rating_list):
        met = fixtures_between([set_scores], names[0], names[1])
        fixtures += met
        boards += set_scores.boards * len(met)
        if met:
            sets.add(set_scores.board_set)
            rows_met = [row for row, name in enumerate(set_scores.fixtures) if name in set(met)]
            places = {int(index) for index in set_scores.members[rows_met].reshape(-1)}
            other_names |= {set_scores.names[index].rstrip("+") for index in places} - set(names)
    if len(known) < 2 or (ruling is None and not fixtures):
        raise NotFound(
            f"Versions {names[0]!r} and {names[1]!r} met in no fixture that counts in this list.",
            "pair_never_met",
        )
    events = RatedSet.objects.filter(list=rating_list, board_set__public_id__in=sets)
    count = events.order_by().values("board_set__round__stage__tournament").distinct().count()
    return ListPair(known[0], known[1], ruling, tuple(sorted(fixtures)), boards, count, len(other_names))


def pair_leave_out(
    rating_list: RatingList, actor: User, versions: Sequence[str], reason: str
) -> ExcludedPair:
    """Exclude the fixtures between two versions from a list, and mark it as due. The reason is public.

    Raises Forbidden (``not_staff``; ``conflict_of_interest`` for own versions), Invalid (``versions`` or
    ``reason``), NotFound (``pair_never_met``), Conflict (``pair_excluded``).
    """
    require_staff(actor)
    text = require_reason(reason)
    with transaction.atomic():
        RatingList.objects.select_for_update(of=("self",)).get(pk=rating_list.pk)
        pair = list_pair(rating_list, versions)
        _require_no_version_of(actor, pair.first, pair.second)
        if pair.ruling is not None:
            raise Conflict(
                f"{pair.first} and {pair.second} are already excluded: {pair.ruling.reason}",
                "pair_excluded",
                ruling=pair.ruling.public_id,
                allowed=["lift"],
            )
        ruling = ExcludedPair.objects.create(
            list=rating_list,
            first=pair.first,
            second=pair.second,
            fixtures=len(pair.fixtures),
            reason=text,
            actor=actor,
        )
        given = [pair.first.public_id, pair.second.public_id]
        audit(actor, "leave_out", rating_list, versions=given, fixtures=len(pair.fixtures), reason=text)
        _mark_sets_due(ruling)
    return ruling


def pair_lift(ruling: ExcludedPair, actor: User, reason: str) -> ExcludedPair:
    """Include the fixtures of a pair in the list again.

    Raises Forbidden (``not_staff``; ``conflict_of_interest``), Invalid (``reason``), Conflict
    (``nothing_to_lift``).
    """
    require_staff(actor)
    _require_no_version_of(actor, ruling.first, ruling.second)
    text = require_reason(reason)
    with transaction.atomic():
        lifted = ExcludedPair.objects.filter(pk=ruling.pk, lifted_at=None)
        if not lifted.update(lifted_at=timezone.now(), lifted_by=actor, lift_reason=text):
            raise Conflict("This ruling is already lifted.", "nothing_to_lift", allowed=[])
        ruling.refresh_from_db()
        given = [ruling.first.public_id, ruling.second.public_id]
        audit(actor, "take_back", ruling.list, versions=given, reason=text)
        _mark_sets_due(ruling)
    return ruling


def rulings_on(rating_list: RatingList) -> QuerySet[ExcludedPair]:
    """Return all rulings on pairs of a list, newest first, with names fetched. One query."""
    rows = ExcludedPair.objects.filter(list=rating_list).order_by("-pk")
    return rows.select_related("first__bot__owner", "second__bot__owner", "actor", "lifted_by", "list")


def ruling_get(rating_list: RatingList, public_id: str) -> ExcludedPair:
    """Return a ruling by public id. Raises NotFound (``ruling_not_found``)."""
    ruling = rulings_on(rating_list).filter(public_id=public_id).first()
    if ruling is None:
        raise NotFound(f"This list has no ruling {public_id!r}.", "ruling_not_found")
    return ruling


def require_staff(actor: User) -> None:
    """Raise Forbidden, code ``not_staff``, unless the account is staff."""
    if not is_staff(actor):
        raise Forbidden("Only staff may do this.", "not_staff")


def _require_no_version_of(actor: User, *versions: BotVersion) -> None:
    """Reject rulings of staff on their own bots. Raises Forbidden (``conflict_of_interest``)."""
    for version in versions:
        if version.bot.owner.user_id == actor.pk:
            raise Forbidden(
                f"{version} is yours, so you cannot rule on it; another staff member can.",
                "conflict_of_interest",
                organisers=[],
            )


def _mark_sets_due(ruling: ExcludedPair) -> None:
    sets = RatedSet.objects.filter(list=ruling.list_id)
    for version in (ruling.first_id, ruling.second_id):
        plays = Q(entry__version=version) | Q(entry__partner_version=version)
        sets = sets.filter(board_set__in=FixtureEntry.objects.filter(plays).values("fixture__board_set"))
    sets.update(stale_mark=secrets.token_hex(8))
