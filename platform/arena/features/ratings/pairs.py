"""Rulings by which a list takes no fixture between two versions: made by staff, public, and lifted again.

Events that are over keep their standings; what follows from a ruling here is the list alone.
"""

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
from arena.features.ratings.models import LeftOutPair, RatedSet, RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.matches.adjudication import require_reason
from arena.matches.models import FixtureEntry
from arena.roster.models import BotVersion
from league.rating.fixtures import between


class ListPair(NamedTuple):
    """Two versions in a list, and what leaving their fixtures out comes to."""

    first: BotVersion
    second: BotVersion
    """In the order of their keys."""
    ruling: LeftOutPair | None
    """That holds."""
    fixtures: tuple[str, ...]
    """Public ids of those that count now and would be left out."""
    boards: int
    """They were played on; a board counts once a fixture."""
    events: int
    """They were played in."""
    others: int
    """Further versions that played in them."""


def list_pair(rating_list: RatingList, versions: Sequence[str]) -> ListPair:
    """Two versions of a list by public id. Six queries.

    Raises:
        Invalid: ``versions`` are not two.
        NotFound: ``pair_never_met``: no fixture of the list is between them, and no ruling holds.
    """
    names = sorted(set(versions))
    if len(versions) != 2 or len(names) != 2:
        raise Invalid("Name two versions, each once.", "invalid", field="versions")
    rows = BotVersion.objects.filter(public_id__in=names).select_related("bot__owner")
    found = list(rows.order_by("pk"))
    ruling = None
    if len(found) == 2:
        holding = LeftOutPair.objects.filter(
            list=rating_list, first=found[0], second=found[1], lifted_at=None
        )
        ruling = holding.select_related("actor").first()
    fixtures: list[str] = []
    others: set[str] = set()
    boards, sets = 0, set()
    for one in list_set_scores(rating_list):
        met = between([one], names[0], names[1])
        fixtures += met
        boards += one.boards * len(met)
        if met:
            sets.add(one.board_set)
            rows_met = [at for at, name in enumerate(one.fixtures) if name in set(met)]
            places = {int(place) for place in one.members[rows_met].reshape(-1)}
            others |= {one.names[place].rstrip("+") for place in places} - set(names)
    if len(found) < 2 or (ruling is None and not fixtures):
        raise NotFound(
            f"Versions {names[0]!r} and {names[1]!r} met in no fixture that counts in this list.",
            "pair_never_met",
        )
    events = RatedSet.objects.filter(list=rating_list, board_set__public_id__in=sets)
    count = events.order_by().values("board_set__round__stage__tournament").distinct().count()
    return ListPair(found[0], found[1], ruling, tuple(sorted(fixtures)), boards, count, len(others))


def pair_leave_out(rating_list: RatingList, actor: User, versions: Sequence[str], reason: str) -> LeftOutPair:
    """Take the fixtures between two versions out of a list, which is due then. Public, with the reason.

    Raises:
        Forbidden: ``not_staff``; ``conflict_of_interest``: one of the versions is the actor's.
        Invalid: ``versions`` or ``reason``.
        NotFound: ``pair_never_met``.
        Conflict: ``pair_left_out``: a ruling holds already.
    """
    require_staff(actor)
    text = require_reason(reason)
    with transaction.atomic():
        RatingList.objects.select_for_update(of=("self",)).get(pk=rating_list.pk)
        pair = list_pair(rating_list, versions)
        _require_no_version_of(actor, pair.first, pair.second)
        if pair.ruling is not None:
            raise Conflict(
                f"{pair.first} and {pair.second} are left out already: {pair.ruling.reason}",
                "pair_left_out",
                ruling=pair.ruling.public_id,
                allowed=["lift"],
            )
        made = LeftOutPair.objects.create(
            list=rating_list,
            first=pair.first,
            second=pair.second,
            fixtures=len(pair.fixtures),
            reason=text,
            actor=actor,
        )
        given = [pair.first.public_id, pair.second.public_id]
        audit(actor, "leave_out", rating_list, versions=given, fixtures=len(pair.fixtures), reason=text)
        _mark_sets_due(made)
    return made


def pair_lift(ruling: LeftOutPair, actor: User, reason: str) -> LeftOutPair:
    """Let the fixtures of a pair count again in the list.

    Raises:
        Forbidden: ``not_staff``; ``conflict_of_interest``: one of the versions is the actor's.
        Invalid: ``reason``.
        Conflict: ``nothing_to_lift``.
    """
    require_staff(actor)
    _require_no_version_of(actor, ruling.first, ruling.second)
    text = require_reason(reason)
    with transaction.atomic():
        lifted = LeftOutPair.objects.filter(pk=ruling.pk, lifted_at=None)
        if not lifted.update(lifted_at=timezone.now(), lifted_by=actor, lift_reason=text):
            raise Conflict("This ruling was lifted before.", "nothing_to_lift", allowed=[])
        ruling.refresh_from_db()
        given = [ruling.first.public_id, ruling.second.public_id]
        audit(actor, "take_back", ruling.list, versions=given, reason=text)
        _mark_sets_due(ruling)
    return ruling


def rulings_on(rating_list: RatingList) -> QuerySet[LeftOutPair]:
    """All pairs that were ever left out of a list, the latest first, with all that names them. One query."""
    rows = LeftOutPair.objects.filter(list=rating_list).order_by("-pk")
    return rows.select_related("first__bot__owner", "second__bot__owner", "actor", "lifted_by", "list")


def ruling_get(rating_list: RatingList, public_id: str) -> LeftOutPair:
    """A ruling on a pair of a list.

    Raises:
        NotFound: ``ruling_missing``.
    """
    found = rulings_on(rating_list).filter(public_id=public_id).first()
    if found is None:
        raise NotFound(f"This list has no ruling {public_id!r}.", "ruling_missing")
    return found


def require_staff(actor: User) -> None:
    """Raises Forbidden, code ``not_staff``, unless the account is staff."""
    if not is_staff(actor):
        raise Forbidden("Only staff do this.", "not_staff")


def _require_no_version_of(actor: User, *versions: BotVersion) -> None:
    """Refuse a ruling of staff on their own bots.

    Raises:
        Forbidden: ``conflict_of_interest``.
    """
    for version in versions:
        if version.bot.owner.user_id == actor.pk:
            raise Forbidden(
                f"{version} is yours, so you cannot decide what counts of it; another staff member can.",
                "conflict_of_interest",
                organisers=[],
            )


def _mark_sets_due(ruling: LeftOutPair) -> None:
    """The sets of the list in which both versions played are to be read again. One query."""
    sets = RatedSet.objects.filter(list=ruling.list_id)
    for version in (ruling.first_id, ruling.second_id):
        plays = Q(entry__version=version) | Q(entry__partner_version=version)
        sets = sets.filter(board_set__in=FixtureEntry.objects.filter(plays).values("fixture__board_set"))
    sets.update(due=secrets.token_hex(8))
