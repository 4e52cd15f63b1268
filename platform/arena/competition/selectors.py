"""Visibility and permissions of tournaments; their stages and entries for pages and the API."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from arena.accounts.models import Event, User
from arena.accounts.selectors import Viewer as Viewer
from arena.accounts.selectors import is_staff as is_staff
from arena.common.errors import Forbidden, NotFound
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.impartiality import has_entry_subquery
from arena.competition.models import (
    CourseMember,
    Entry,
    Invitation,
    Round,
    Series,
    Stage,
    StageEntry,
    Tournament,
)
from arena.competition.organisers import is_lead_organiser, is_named_organiser, organiser_filter
from arena.competition.rules import sides_of
from arena.roster.models import Bot
from league.errors import FormatError
from league.formats import format_named

Row = TypeVar("Row")
PUBLIC_STATES = [s for s in Tournament.State.values if s != Tournament.State.DRAFT]
ENDED_STATES = (Tournament.State.FINAL, Tournament.State.ARCHIVED, Tournament.State.CANCELLED)
"""States after which nothing visible to spectators changes."""


def tournaments_visible_to(user: Viewer) -> QuerySet[Tournament]:
    """Return public tournaments past draft for all viewers, own ones for organisers, all for staff.

    Private ones are visible to owners of entries (partners included) and, past draft, to invited players;
    those of a course instead to its members, past draft. Batches of an experiment are visible only to the
    account that requested it, and deleted trial runs to staff.
    """
    rows = Tournament.objects.select_related("organiser")
    if is_staff(user):
        return rows
    rows = rows.filter(deleted_at=None)
    open_to_all = Q(visibility=Tournament.Visibility.PUBLIC, state__in=PUBLIC_STATES)
    if not isinstance(user, User):
        return rows.filter(open_to_all)
    own = organiser_filter(user)
    plays = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    entered = Q(pk__in=Entry.objects.filter(plays).values("tournament"))
    invited = Q(pk__in=Invitation.objects.filter(player__user=user).values("tournament"))
    entered &= ~Q(kind=Tournament.Kind.EXPERIMENT)
    invited &= Q(state__in=PUBLIC_STATES)
    member = Q(course__in=CourseMember.objects.filter(user=user).values("course"), state__in=PUBLIC_STATES)
    return rows.filter(open_to_all | own | (Q(course=None) & (entered | invited)) | member)


def visible_tournament_filter(user: Viewer) -> Q:
    """Filter for rows of ``tournaments_visible_to``; without a subquery for anonymous viewers."""
    if is_staff(user):
        return Q()
    if isinstance(user, User):
        return Q(tournament__in=tournaments_visible_to(user).order_by())
    return Q(tournament__visibility=Tournament.Visibility.PUBLIC, tournament__state__in=PUBLIC_STATES)


def is_visible_to(tournament: Tournament, user: Viewer) -> bool:
    if tournament.visibility == Tournament.Visibility.PUBLIC and tournament.state in PUBLIC_STATES:
        return True
    return tournaments_visible_to(user).filter(pk=tournament.pk).exists()


def tournaments_listed(
    user: Viewer, kinds: Sequence[str] = (Tournament.Kind.TOURNAMENT,)
) -> QuerySet[Tournament]:
    """Return visible tournaments of these kinds; by default without challenges, ladders and experiments."""
    return tournaments_visible_to(user).filter(kind__in=list(kinds))


def tournaments_in_states(user: Viewer, states: Collection[str]) -> QuerySet[Tournament]:
    """Return visible events in these states, latest change of state first."""
    return tournaments_listed(user).filter(state__in=list(states)).order_by("-state_at", "-id")


def tournaments_by_state(user: Viewer, states: Sequence[str]) -> QuerySet[Tournament]:
    places = [When(state=state, then=Value(position)) for position, state in enumerate(states)]
    rows = tournaments_in_states(user, states)
    return rows.order_by(Case(*places, default=Value(len(states))), "-state_at", "-id")


def editions_of(series: Series, user: Viewer) -> QuerySet[Tournament]:
    return tournaments_visible_to(user).filter(series=series).order_by("-edition")


def with_entry_counts(tournaments: QuerySet[Tournament], user: Viewer | None = None) -> QuerySet[Tournament]:
    """Add stages, ``entry_count``, and ``viewer_has_entry`` for a user who may organise."""
    if isinstance(user, User) and (user.is_organiser or user.is_staff):
        tournaments = tournaments.annotate(viewer_has_entry=has_entry_subquery(user))
    entered = (
        Entry.objects.filter(tournament=OuterRef("pk"), status__in=FIELD_STATUSES)
        .order_by()
        .values("tournament")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return (
        tournaments.select_related("series", "trial_of", "course")
        .prefetch_related("stages", "co_organisers")
        .annotate(entry_count=Coalesce(Subquery(entered, output_field=IntegerField()), 0))
    )


def tournament_detail(public_id: str, user: Viewer) -> Tournament:
    """Return a visible tournament with the additions of ``with_entry_counts``. Raises NotFound."""
    return _tournament_get(with_entry_counts(tournaments_visible_to(user), user), public_id)


class PublicVersion(NamedTuple):
    """A public tournament by its key, with values of which one changes at every visible change."""

    key: int
    revision: int
    state: str
    state_at: datetime


def public_version_of(public_id: str) -> PublicVersion | None:
    """Return the version of a public tournament, else None. One query."""
    row = (
        Tournament.objects.filter(
            public_id=public_id, visibility=Tournament.Visibility.PUBLIC, state__in=PUBLIC_STATES
        )
        .order_by()
        .values_list("pk", "revision", "state", "state_at")
    )
    columns = row.first()
    return None if columns is None else PublicVersion(*columns)


def public_version(tournament: Tournament) -> PublicVersion | None:
    """Return the version of a loaded tournament, or None if it is not public. No query."""
    if tournament.visibility != Tournament.Visibility.PUBLIC or tournament.state not in PUBLIC_STATES:
        return None
    return PublicVersion(tournament.pk, tournament.revision, tournament.state, tournament.state_at)


def tournament_get(public_id: str, user: Viewer) -> Tournament:
    """Return a visible tournament. Raises NotFound."""
    return _tournament_get(tournaments_visible_to(user), public_id)


def public_tournament(pk: int) -> Tournament | None:
    return tournaments_visible_to(AnonymousUser()).filter(pk=pk).first()


def tournament_names(public_ids: Collection[str]) -> dict[str, str]:
    """Return the names of tournaments by public id, of any visibility. One query."""
    rows = Tournament.objects.filter(public_id__in=set(public_ids))
    return dict(rows.values_list("public_id", "name"))


def background_ids(public_ids: Collection[str]) -> set[str]:
    """Return those of these public ids that are rounds of ladders or batches of experiments. One query."""
    rows = Tournament.objects.filter(public_id__in=public_ids, kind__in=Tournament.BACKGROUND)
    return set(rows.values_list("public_id", flat=True))


def _tournament_get(rows: QuerySet[Tournament], public_id: str) -> Tournament:
    try:
        return rows.get(public_id=public_id)
    except Tournament.DoesNotExist:
        raise NotFound(f"There is no tournament {public_id!r}.", "tournament_not_found") from None


def may_organise(user: Viewer, tournament: Tournament) -> bool:
    """Return whether the account may run the tournament: lead organiser, staff, permitted co-organisers.

    A query only for other organisers, unless the co-organisers are prefetched.
    """
    if is_lead_organiser(user, tournament):
        return True
    if not isinstance(user, User) or not (user.is_active and user.is_organiser):
        return False
    return is_named_organiser(user.pk, tournament)


def require_organiser(user: User | None, tournament: Tournament) -> None:
    """Raise Forbidden unless ``user`` may run the tournament. None stands for the system."""
    if user is not None and not may_organise(user, tournament):
        raise Forbidden("Only the organiser of this tournament and staff can do this.", "not_organiser")


def stages_of(tournament: Tournament) -> list[Stage]:
    return list(tournament.stages.order_by("number"))


def stage_or_latest(tournament: Tournament, number: int | None) -> Stage:
    """Return the stage with this number, else the last begun or the first. Raises NotFound."""
    return stage_or_latest_of(tournament, stages_of(tournament), number)


def stage_or_latest_of(tournament: Tournament, stages: Sequence[Stage], number: int | None) -> Stage:
    """Like ``stage_or_latest``, from loaded stages. No query."""
    if number is None:
        begun = [stage for stage in stages if stage.state != Stage.State.PLANNED and not stage.is_skipped]
        return [*stages[:1], *begun][-1]
    for stage in stages:
        if stage.number == number:
            return stage
    raise NotFound(f"{tournament.name} has stages 1 to {len(stages)}.", "stage_not_found")


def stages_by_tournament(tournaments: Iterable[Tournament]) -> dict[int, list[Stage]]:
    rows = Stage.objects.filter(tournament__in=list(tournaments)).select_related("tournament")
    return _group_by(rows.order_by("number"), lambda stage: stage.tournament_id)


class RoundCounts(NamedTuple):
    last: int
    closed: int
    closed_at: datetime | None = None
    """Time at which the latest closed round ended."""


def round_counts(tournaments: Iterable[Tournament]) -> dict[int, RoundCounts]:
    """Return counts by key of the stage; stages without rounds are missing. One query."""
    rows = Round.objects.filter(stage__tournament__in=list(tournaments)).order_by().values_list("stage")
    is_closed = Q(state=Round.State.CLOSED)
    counted = rows.annotate(
        last=Max("number"), closed=Count("pk", filter=is_closed), ended_at=Max("closed_at", filter=is_closed)
    )
    return {stage: RoundCounts(*counts) for stage, *counts in counted}


def _group_by(rows: Iterable[Row], key: Callable[[Row], int]) -> dict[int, list[Row]]:
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def last_closed_round(stage: Stage) -> int | None:
    closed = stage.rounds.filter(state=Round.State.CLOSED)
    return closed.order_by("-number").values_list("number", flat=True).first()


def rounds_planned(stage: Stage, entries: int) -> int | None:
    """Return the planned number of rounds; None if it depends on results or the format does not fit."""
    try:
        return format_named(stage.format).round_count(
            entries, stage.options, sides=len(sides_of(stage.tournament))
        )
    except FormatError:
        return None


def format_title(stage: Stage) -> str:
    return format_named(stage.format).title


def tournament_mixes_partners(tournament: Tournament) -> bool:
    """Return whether a stage has single-seat entries with changing partners. One query."""
    formats = tournament.stages.values_list("format", flat=True)
    return any(format_named(name).mixes_partners for name in formats)


def stages_mix_partners(stages: Iterable[Stage]) -> bool:
    return any(format_named(stage.format).mixes_partners for stage in stages)


def entries_of_stages(stages: Iterable[Stage]) -> dict[int, list[str]]:
    """Return public ids of entries in seeding order, by key of the stage. One query."""
    rows = StageEntry.objects.filter(stage__in=list(stages)).order_by("stage", "position")
    entries_by_stage: dict[int, list[str]] = {}
    for stage, entry in rows.values_list("stage", "entry__public_id"):
        entries_by_stage.setdefault(stage, []).append(entry)
    return entries_by_stage


def entries_of(tournament: Tournament) -> QuerySet[Entry]:
    """Return all entries in order of creation, also withdrawn ones, with tournament, owners and versions."""
    names = ("player", "version__bot__owner", "partner_version__bot__owner")
    return tournament.entries.select_related(*names).order_by("id")


def entries_in_field(tournament: Tournament) -> QuerySet[Entry]:
    """Return entries that play or left, like ``entries_of``: seeded ones first, then by creation."""
    return _seeded_first(entries_of(tournament).filter(status__in=FIELD_STATUSES))


def entries_active(tournament: Tournament) -> QuerySet[Entry]:
    """Return entered entries and pending pairs, in the order of ``entries_in_field``."""
    return _seeded_first(entries_of(tournament).filter(status__in=Entry.ACTIVE))


def _seeded_first(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    return entries.order_by(F("seed").asc(nulls_last=True), "id")


def entries_entered(tournament: Tournament) -> QuerySet[Entry]:
    return entries_in_field(tournament).filter(status=Entry.Status.ENTERED)


def entries_in_field_named(tournament: Tournament, text: str) -> QuerySet[Entry]:
    return entries_in_field(tournament).filter(name_filter(text))


def entries_in_status(tournament: Tournament, status: str) -> QuerySet[Entry]:
    return entries_of(tournament).filter(status=status)


def entries_by_id(tournament: Tournament, ids: Collection[str]) -> dict[str, Entry]:
    return {entry.public_id: entry for entry in entries_of(tournament).filter(public_id__in=ids)}


def name_filter(text: str, prefix: str = "") -> Q:
    """Filter for entries with this text in the name of a bot or player. ``prefix``: path to them."""
    columns = ("version__bot__name", "partner_version__bot__name", "player__handle")
    return Q(*[(f"{prefix}{column}__icontains", text) for column in columns], _connector=Q.OR)


def entry_owner_filter(user: User, prefix: str = "") -> Q:
    return Q(**{f"{prefix}player__user": user}) | Q(**{f"{prefix}partner_version__bot__owner__user": user})


def entries_of_account(tournament: Tournament, user: User) -> QuerySet[Entry]:
    """Return the entries of ``entries_of`` in which the account has a bot, without withdrawn ones."""
    rows = entries_of(tournament).exclude(status=Entry.Status.WITHDRAWN)
    return rows.filter(entry_owner_filter(user))


def entries_of_bot(bot: Bot, user: Viewer) -> QuerySet[Entry]:
    """Return the bot's entries in visible events and challenges, latest change of state first."""
    entries = Entry.objects.filter(
        Q(version__bot=bot) | Q(partner_version__bot=bot),
        visible_tournament_filter(user),
        status=Entry.Status.ENTERED,
    ).exclude(tournament__kind__in=Tournament.BACKGROUND)
    return entries.order_by("-tournament__state_at", "-id")


def entry_of_account(public_id: str, user: Viewer) -> Entry:
    """Return an entry of the account, or of a tournament visible to it. Raises NotFound."""
    entry = (
        Entry.objects.select_related(
            "tournament__organiser", "player", "version__bot__owner", "partner_version__bot__owner"
        )
        .filter(public_id=public_id)
        .first()
    )
    if entry is None or not isinstance(user, User):
        raise NotFound(f"There is no entry {public_id!r}.", "entry_not_found")
    if not any(owner.user_id == user.pk for owner in entry.owners()):
        tournament_get(entry.tournament.public_id, user)
    return entry


NAME_COLUMNS = (
    "public_id",
    "status",
    "player__handle",
    "version__public_id",
    "version__bot__name",
    "version__number",
    "version__bundle_sha256",
    "partner_version__public_id",
    "partner_version__bot__name",
    "partner_version__number",
    "partner_version__bundle_sha256",
)
"""Columns of ``Entry`` for ``NamedEntry.of_columns``, which avoids model instances."""


class NamedVersion(NamedTuple):
    id: str
    bot: str
    number: int
    bundle_sha256: str


class NamedEntry(NamedTuple):
    id: str
    status: str
    player: str
    versions: tuple[NamedVersion, ...]

    @classmethod
    def of_columns(cls, columns: Sequence[Any]) -> NamedEntry:
        versions = [NamedVersion(*columns[3:7])]
        if columns[7] is not None:
            versions.append(NamedVersion(*columns[7:11]))
        return cls(columns[0], columns[1], columns[2], tuple(versions))


def entry_name_columns(tournament: int) -> tuple[tuple[Any, ...], ...]:
    return tuple(Entry.objects.filter(tournament=tournament).order_by("pk").values_list(*NAME_COLUMNS))


def entry_names(tournament: int) -> dict[str, NamedEntry]:
    """Return the entries of a tournament, given by key, by public id. One query."""
    return {columns[0]: NamedEntry.of_columns(columns) for columns in entry_name_columns(tournament)}


def entry_get(tournament: Tournament, public_id: str) -> Entry:
    """Return an entry of a tournament with its owners. Raises NotFound."""
    entry = (
        tournament.entries.select_related(
            "player__user", "version__bot__owner__user", "partner_version__bot__owner__user"
        )
        .filter(public_id=public_id)
        .first()
    )
    if entry is None:
        raise NotFound(f"{tournament.name} has no entry {public_id!r}.", "entry_not_found")
    entry.tournament = tournament
    return entry


def events_visible_to(user: Viewer) -> QuerySet[Event]:
    """Return events of visible tournaments and those addressed to the viewer, oldest first.

    Events addressed to an account are visible to it and staff. Filter by ``id__gt`` to continue.
    """
    events = Event.objects.order_by("id")
    if is_staff(user):
        return events
    visible = tournaments_visible_to(user).order_by().values("public_id")
    allowed = Q(user__isnull=True, tournament__in=visible)
    if isinstance(user, User):
        allowed |= Q(user=user)
    return events.filter(allowed)
