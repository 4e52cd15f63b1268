"""Who may see and who may run which tournament; its stages and entries as pages and answers need them."""

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
from arena.competition.models import Entry, Invitation, Round, Series, Stage, StageEntry, Tournament
from arena.competition.organisers import is_lead_organiser, is_named_organiser, organiser_filter
from arena.competition.rules import sides_of
from arena.roster.models import Bot
from league.errors import FormatError
from league.formats import format_named

Row = TypeVar("Row")
PUBLIC_STATES = [s for s in Tournament.State.values if s != Tournament.State.DRAFT]
ENDED_STATES = (Tournament.State.FINAL, Tournament.State.ARCHIVED, Tournament.State.CANCELLED)
"""Nothing that a spectator sees changes any more."""


def tournaments_visible_to(user: Viewer) -> QuerySet[Tournament]:
    """Public ones past draft for everybody; all for staff; own ones in any state for their organisers.

    Private ones also for owners of entries, partners included, and, past draft, for invited players; but
    batches of an experiment only for who asked for it.
    """
    rows = Tournament.objects.select_related("organiser")
    if is_staff(user):
        return rows
    open_to_all = Q(visibility=Tournament.Visibility.PUBLIC, state__in=PUBLIC_STATES)
    if not isinstance(user, User):
        return rows.filter(open_to_all)
    own = organiser_filter(user)
    plays = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    entered = Q(pk__in=Entry.objects.filter(plays).values("tournament"))
    invited = Q(pk__in=Invitation.objects.filter(player__user=user).values("tournament"))
    entered &= ~Q(kind=Tournament.Kind.EXPERIMENT)
    return rows.filter(open_to_all | own | entered | (invited & Q(state__in=PUBLIC_STATES)))


def visible_tournament_filter(user: Viewer) -> Q:
    """Rows that lead to one of ``tournaments_visible_to`` by ``tournament``.

    Of strangers, who are most, it looks at the tournament itself, which is quicker than a subquery.
    """
    if is_staff(user):
        return Q()
    if isinstance(user, User):
        return Q(tournament__in=tournaments_visible_to(user).order_by())
    return Q(tournament__visibility=Tournament.Visibility.PUBLIC, tournament__state__in=PUBLIC_STATES)


def is_visible_to(tournament: Tournament, user: Viewer) -> bool:
    """Whether it is among ``tournaments_visible_to``. No query for a public one."""
    if tournament.visibility == Tournament.Visibility.PUBLIC and tournament.state in PUBLIC_STATES:
        return True
    return tournaments_visible_to(user).filter(pk=tournament.pk).exists()


def tournaments_listed(user: Viewer, kinds: Sequence[str] = (Tournament.Kind.EVENT,)) -> QuerySet[Tournament]:
    """What a list of tournaments shows: those visible, of events alone unless other kinds are asked for."""
    return tournaments_visible_to(user).filter(kind__in=list(kinds))


def tournaments_in_states(user: Viewer, states: Collection[str]) -> QuerySet[Tournament]:
    """Those of ``tournaments_listed`` in these states, the latest change of state first."""
    return tournaments_listed(user).filter(state__in=list(states)).order_by("-state_at", "-id")


def tournaments_by_state(user: Viewer, states: Sequence[str]) -> QuerySet[Tournament]:
    """The same by state, in the order of these states."""
    places = [When(state=state, then=Value(position)) for position, state in enumerate(states)]
    rows = tournaments_in_states(user, states)
    return rows.order_by(Case(*places, default=Value(len(states))), "-state_at", "-id")


def editions_of(series: Series, user: Viewer) -> QuerySet[Tournament]:
    """The visible editions of a series, newest first."""
    return tournaments_visible_to(user).filter(series=series).order_by("-edition")


def with_entry_counts(tournaments: QuerySet[Tournament], user: Viewer | None = None) -> QuerySet[Tournament]:
    """The same with series, stages, co-organisers and ``entry_count``: entries in the field, counted for a
    page alone. For a user who may organise also ``viewer_has_entry`` (``impartiality``)."""
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
        tournaments.select_related("series")
        .prefetch_related("stages", "co_organisers")
        .annotate(entry_count=Coalesce(Subquery(entered, output_field=IntegerField()), 0))
    )


def tournament_detail(public_id: str, user: Viewer) -> Tournament:
    """One visible tournament, read anew, as ``with_entry_counts`` gives it.

    Raises:
        NotFound: none of this id, or not for this viewer.
    """
    return _tournament_get(with_entry_counts(tournaments_visible_to(user), user), public_id)


class PublicVersion(NamedTuple):
    """A public tournament by its key, and what changes with every change of it."""

    key: int
    revision: int
    state: str
    state_at: datetime


def public_version_of(public_id: str) -> PublicVersion | None:
    """The version of a public tournament; None for any other. One query."""
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
    """The version of a tournament as it was read; None unless it is public. No query."""
    if tournament.visibility != Tournament.Visibility.PUBLIC or tournament.state not in PUBLIC_STATES:
        return None
    return PublicVersion(tournament.pk, tournament.revision, tournament.state, tournament.state_at)


def tournament_get(public_id: str, user: Viewer) -> Tournament:
    """One visible tournament.

    Raises:
        NotFound: none of this id, or not for this viewer.
    """
    return _tournament_get(tournaments_visible_to(user), public_id)


def public_tournament(pk: int) -> Tournament | None:
    """The tournament if everybody may see it, without an account."""
    return tournaments_visible_to(AnonymousUser()).filter(pk=pk).first()


def background_ids(public_ids: Collection[str]) -> set[str]:
    """Those of these ids that are of rounds of ladders and batches of experiments. One query."""
    rows = Tournament.objects.filter(public_id__in=public_ids, kind__in=Tournament.BACKGROUND)
    return set(rows.values_list("public_id", flat=True))


def _tournament_get(rows: QuerySet[Tournament], public_id: str) -> Tournament:
    try:
        return rows.get(public_id=public_id)
    except Tournament.DoesNotExist:
        raise NotFound(f"There is no tournament {public_id!r}.", "tournament_missing") from None


def may_organise(user: Viewer, tournament: Tournament) -> bool:
    """The lead organiser, staff, and co-organisers, while still organisers.

    A query for other organisers alone, unless the co-organisers were prefetched.
    """
    if is_lead_organiser(user, tournament):
        return True
    if not isinstance(user, User) or not (user.is_active and user.is_organiser):
        return False
    return is_named_organiser(user.pk, tournament)


def require_organiser(user: User | None, tournament: Tournament) -> None:
    """Raises Forbidden unless ``user`` may run the tournament; None stands for the system itself."""
    if user is not None and not may_organise(user, tournament):
        raise Forbidden("Only the organiser of this tournament and staff may do this.", "not_the_organiser")


def stages_of(tournament: Tournament) -> list[Stage]:
    """All stages by number, the tournament at hand. One query."""
    return list(tournament.stages.order_by("number"))


def stage_or_latest(tournament: Tournament, number: int | None) -> Stage:
    """The stage of this number; without one, the last that has begun, or the first.

    Raises:
        NotFound: code ``stage_missing``.
    """
    return stage_or_latest_of(tournament, stages_of(tournament), number)


def stage_or_latest_of(tournament: Tournament, stages: Sequence[Stage], number: int | None) -> Stage:
    """As ``stage_or_latest``, of the tournament's stages at hand. No query."""
    if number is None:
        begun = [stage for stage in stages if stage.state != Stage.State.PLANNED and not stage.is_skipped]
        return [*stages[:1], *begun][-1]
    for stage in stages:
        if stage.number == number:
            return stage
    raise NotFound(f"{tournament.name} has stages 1 to {len(stages)}.", "stage_missing")


def stages_by_tournament(tournaments: Iterable[Tournament]) -> dict[int, list[Stage]]:
    """Stages by number, by key of the tournament. One query."""
    rows = Stage.objects.filter(tournament__in=list(tournaments)).select_related("tournament")
    return _group_by(rows.order_by("number"), lambda stage: stage.tournament_id)


class RoundCounts(NamedTuple):
    """How far a stage is."""

    last: int
    """Number of its last round."""
    closed: int


def round_counts(tournaments: Iterable[Tournament]) -> dict[int, RoundCounts]:
    """By key of the stage, of those that have rounds. One query, a row a stage."""
    rows = Round.objects.filter(stage__tournament__in=list(tournaments)).order_by().values_list("stage")
    counted = rows.annotate(last=Max("number"), closed=Count("pk", filter=Q(state=Round.State.CLOSED)))
    return {stage: RoundCounts(last, closed) for stage, last, closed in counted}


def _group_by(rows: Iterable[Row], key: Callable[[Row], int]) -> dict[int, list[Row]]:
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def last_closed_round(stage: Stage) -> int | None:
    """The number of the last closed round of a stage, if there is one. One query."""
    closed = stage.rounds.filter(state=Round.State.CLOSED)
    return closed.order_by("-number").values_list("number", flat=True).first()


def rounds_planned(stage: Stage, entries: int) -> int | None:
    """How many rounds a stage of so many entries will have.

    None if its format cannot be played by so many, or if that depends on results.
    """
    try:
        return format_named(stage.format).round_count(
            entries, stage.options, sides=len(sides_of(stage.tournament))
        )
    except FormatError:
        return None


def format_title(stage: Stage) -> str:
    """What the stage's format is called."""
    return format_named(stage.format).title


def tournament_mixes_partners(tournament: Tournament) -> bool:
    """Whether in one of its stages every entry holds a single seat and partners change. One query."""
    formats = tournament.stages.values_list("format", flat=True)
    return any(format_named(name).mixes_partners for name in formats)


def stages_mix_partners(stages: Iterable[Stage]) -> bool:
    """Whether in one of these stages every entry holds a single seat and partners change. No query."""
    return any(format_named(stage.format).mixes_partners for stage in stages)


def entries_of_stages(stages: Iterable[Stage]) -> dict[int, list[str]]:
    """Public ids of those who play these stages, in seeding order, by key of the stage. One query."""
    rows = StageEntry.objects.filter(stage__in=list(stages)).order_by("stage", "position")
    entries_by_stage: dict[int, list[str]] = {}
    for stage, entry in rows.values_list("stage", "entry__public_id"):
        entries_by_stage.setdefault(stage, []).append(entry)
    return entries_by_stage


def entries_of(tournament: Tournament) -> QuerySet[Entry]:
    """All entries in the order they came, withdrawn ones too; tournament, owners and versions at hand."""
    names = ("player", "version__bot__owner", "partner_version__bot__owner")
    return tournament.entries.select_related(*names).order_by("id")


def entries_in_field(tournament: Tournament) -> QuerySet[Entry]:
    """Those that play and those that left: seeded ones first, in their order, the others as they came.

    As ``entries_of``.
    """
    return _seeded_first(entries_of(tournament).filter(status__in=FIELD_STATUSES))


def entries_active(tournament: Tournament) -> QuerySet[Entry]:
    """Those that play and pairs not yet agreed to, in the order of ``entries_in_field``."""
    return _seeded_first(entries_of(tournament).filter(status__in=Entry.ACTIVE))


def _seeded_first(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    return entries.order_by(F("seed").asc(nulls_last=True), "id")


def entries_entered(tournament: Tournament) -> QuerySet[Entry]:
    """Those of ``entries_in_field`` that play."""
    return entries_in_field(tournament).filter(status=Entry.Status.ENTERED)


def entries_in_field_named(tournament: Tournament, text: str) -> QuerySet[Entry]:
    """Those of ``entries_in_field`` that ``name_filter`` finds."""
    return entries_in_field(tournament).filter(name_filter(text))


def entries_in_status(tournament: Tournament, status: str) -> QuerySet[Entry]:
    """Those of ``entries_of`` in one status."""
    return entries_of(tournament).filter(status=status)


def entries_by_id(tournament: Tournament, ids: Collection[str]) -> dict[str, Entry]:
    """These entries as ``entries_of``, by public id. One query."""
    return {entry.public_id: entry for entry in entries_of(tournament).filter(public_id__in=ids)}


def name_filter(text: str, prefix: str = "") -> Q:
    """Entries one of whose bots, or whose player, has this text in its name; ``prefix`` leads to them."""
    columns = ("version__bot__name", "partner_version__bot__name", "player__handle")
    return Q(*[(f"{prefix}{column}__icontains", text) for column in columns], _connector=Q.OR)


def entry_owner_filter(user: User, prefix: str = "") -> Q:
    """Entries in which an account has a bot; ``prefix`` leads to them."""
    return Q(**{f"{prefix}player__user": user}) | Q(**{f"{prefix}partner_version__bot__owner__user": user})


def entries_of_account(tournament: Tournament, user: User) -> QuerySet[Entry]:
    """Those of ``entries_of`` in which an account has a bot, withdrawn ones left out."""
    rows = entries_of(tournament).exclude(status=Entry.Status.WITHDRAWN)
    return rows.filter(entry_owner_filter(user))


def entries_of_bot(bot: Bot, user: Viewer) -> QuerySet[Entry]:
    """Where a bot is entered, in visible tournaments, the latest first."""
    return Entry.objects.filter(
        Q(version__bot=bot) | Q(partner_version__bot=bot),
        visible_tournament_filter(user),
        status=Entry.Status.ENTERED,
    ).order_by("-tournament__state_at", "-id")


def entry_of_account(public_id: str, user: Viewer) -> Entry:
    """An entry one of whose bots is the account's, or of a tournament it may see.

    Raises:
        NotFound: there is none that the viewer may know of.
    """
    entry = (
        Entry.objects.select_related(
            "tournament__organiser", "player", "version__bot__owner", "partner_version__bot__owner"
        )
        .filter(public_id=public_id)
        .first()
    )
    if entry is None or not isinstance(user, User):
        raise NotFound(f"There is no entry {public_id!r}.", "entry_missing")
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
"""What it takes to name an entry, without a row of a model."""


class NamedVersion(NamedTuple):
    """A version as entered."""

    id: str
    bot: str
    number: int
    bundle_sha256: str


class NamedEntry(NamedTuple):
    """Who an entry is, and its status."""

    id: str
    status: str
    player: str
    versions: tuple[NamedVersion, ...]

    @classmethod
    def of_columns(cls, columns: Sequence[Any]) -> NamedEntry:
        """From the values of ``NAME_COLUMNS``."""
        versions = [NamedVersion(*columns[3:7])]
        if columns[7] is not None:
            versions.append(NamedVersion(*columns[7:11]))
        return cls(columns[0], columns[1], columns[2], tuple(versions))


def entry_name_columns(tournament: int) -> tuple[tuple[Any, ...], ...]:
    """``NAME_COLUMNS`` of all entries of the tournament of this key. One query."""
    return tuple(Entry.objects.filter(tournament=tournament).order_by("pk").values_list(*NAME_COLUMNS))


def entry_names(tournament: int) -> dict[str, NamedEntry]:
    """Who the entries of the tournament of this key are, by public id. One query."""
    return {columns[0]: NamedEntry.of_columns(columns) for columns in entry_name_columns(tournament)}


def entry_get(tournament: Tournament, public_id: str) -> Entry:
    """One entry of a tournament, owners at hand.

    Raises:
        NotFound: none of this id in it.
    """
    entry = (
        tournament.entries.select_related(
            "player__user", "version__bot__owner__user", "partner_version__bot__owner__user"
        )
        .filter(public_id=public_id)
        .first()
    )
    if entry is None:
        raise NotFound(f"{tournament.name} has no entry {public_id!r}.", "entry_missing")
    entry.tournament = tournament
    return entry


def events_visible_to(user: Viewer) -> QuerySet[Event]:
    """Events of the tournaments a viewer sees, and those meant for the viewer; oldest first.

    What is meant for one account reaches nobody else but staff. Filter by ``id__gt`` to go on.
    """
    events = Event.objects.order_by("id")
    if is_staff(user):
        return events
    visible = tournaments_visible_to(user).order_by().values("public_id")
    allowed = Q(user__isnull=True, tournament__in=visible)
    if isinstance(user, User):
        allowed |= Q(user=user)
    return events.filter(allowed)
