"""Requirements for an entry: its versions, its owners, and free places."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F, Q, QuerySet

from arena.accounts.house import is_house_account
from arena.common.declarations import IntegerSpec, invalid_field
from arena.common.errors import Conflict, Forbidden
from arena.common.states import state_change, wrong_state
from arena.competition.courses import require_course_member
from arena.competition.models import Entry, Tournament
from arena.competition.organisers import is_named_organiser
from arena.competition.rules import sides_of
from arena.competition.selectors import tournament_mixes_partners
from arena.roster.models import BotVersion, Player
from arena.roster.selectors import version_suspended_error

Status = Entry.Status
SEED = IntegerSpec(
    name="seed",
    label="Seed",
    help="Position in the order of entries. Entries without a seed follow by lot.",
    is_required=True,
    least=1,
    most=1000,
)
MAX_PARTNER_REQUESTS = 3


class EntryLimitReached(Conflict):
    pass


def require_invited(tournament: Tournament, player: Player) -> None:
    """Raise Forbidden ``not_invited`` if the event is for invited players and this player is not invited,
    ``not_course_member`` if it is for a course and the player is no member.
    """
    require_course_member(tournament, player)
    if tournament.entry_policy == Tournament.EntryPolicy.OPEN or is_named_organiser(
        player.user_id, tournament
    ):
        return
    if not tournament.invitations.filter(player=player).exists():
        raise Forbidden(
            f"{tournament.name} is for invited players. {player} is not invited; ask the organiser, "
            f"{tournament.organiser}.",
            "not_invited",
            entry_policy=tournament.entry_policy,
        )


def entries_counted_for_player(tournament: Tournament, player: Player) -> QuerySet[Entry]:
    """Return entries that count towards the player's limit: own ones, and confirmed pairs with its bots."""
    partnered = Q(status=Status.ENTERED, partner_version__bot__owner=player)
    return tournament.entries.filter(Q(status__in=Entry.ACTIVE, player=player) | partnered)


def require_partner_request_allowed(entry: Entry, partner: Player) -> None:
    """Raise Conflict ``too_many_partner_requests`` if the player asked this partner
    ``MAX_PARTNER_REQUESTS`` times.
    """
    declined = entry.tournament.entries.filter(
        player=entry.player, partner_version__bot__owner=partner, status=Status.WITHDRAWN
    )
    if declined.count() >= MAX_PARTNER_REQUESTS:
        raise Conflict(
            f"{partner} has been asked {MAX_PARTNER_REQUESTS} times for this tournament, which is the limit. "
            "Ask another player.",
            "too_many_partner_requests",
            limit=MAX_PARTNER_REQUESTS,
        )


def is_of_house(version: BotVersion) -> bool:
    return is_house_account(version.bot.owner.user.username)


def require_state(tournament: Tournament, verb: str, states: Sequence[str]) -> None:
    """Raise Conflict ``wrong_state`` unless the tournament is in one of these states.

    Locks and reloads the row until the transaction ends, and raises the revision.
    """
    updated = Tournament.objects.filter(pk=tournament.pk, state__in=states).update(revision=F("revision") + 1)
    tournament.refresh_from_db()
    if not updated:
        raise wrong_state(tournament, verb, states)


def require_entry_shape(
    tournament: Tournament, version: BotVersion, partner: BotVersion | None, accepts_partners: bool
) -> None:
    """Check whether versions enter alone or as a pair, as the preset and the stages require."""
    if tournament_mixes_partners(tournament):
        if partner is not None:
            raise invalid_field(
                "partner_version",
                f"{tournament.name} is played with changing partners; leave partner_version out.",
                "invalid_pair",
            )
        if not accepts_partners:
            raise invalid_field(
                "accepts_partners",
                f"In {tournament.name} your bot plays with changing partners; consent with "
                "accepts_partners=true.",
                "partners_not_accepted",
            )
    if partner is None:
        return
    if any(len(side) != 2 for side in sides_of(tournament)):
        raise invalid_field(
            "partner_version",
            f"{tournament.preset} is played without partners; enter one version without partner_version.",
            "invalid_pair",
        )
    if version.pk == partner.pk:
        raise invalid_field(
            "partner_version",
            f"{version} plays both seats without a partner; leave partner_version out.",
            "invalid_pair",
        )


def require_ready(version: BotVersion) -> None:
    """Raise Conflict unless the version is ready, and lock it until the transaction ends."""
    if state_change(version, "state", version.State.READY, version.State.READY):
        return
    version.refresh_from_db()
    raise not_ready_error(version)


def not_ready_error(version: BotVersion) -> Conflict:
    """Return the error for a version that is not ready: ``version_suspended`` or ``not_ready``."""
    if version.state == version.State.SUSPENDED:
        return version_suspended_error(version, "enter")
    return Conflict(
        f"{version} is {version.state}; only ready versions can enter.",
        "not_ready",
        state=version.state,
        allowed_states=[version.State.READY],
    )


def require_room(entry: Entry, *, has_quota: bool = True) -> None:
    """Raise Conflict if the tournament is full, the player has no place left, or the same pair is entered.

    Without ``has_quota`` the limit per player is not checked.
    """
    tournament = entry.tournament
    present = tournament.entries.filter(status__in=Entry.ACTIVE)
    if present.count() >= tournament.max_entries:
        raise EntryLimitReached(
            f"All {tournament.max_entries} places are taken.",
            "tournament_full",
            max_entries=tournament.max_entries,
        )
    version_pks = {version.pk for version in entry.versions()}
    same = present.filter(Q(version__in=version_pks) | Q(partner_version__in=version_pks))
    if any({other.version_id, other.partner_version_id or other.version_id} == version_pks for other in same):
        raise Conflict(f"{entry.bot_name} is entered already.", "already_entered")
    if not has_quota:
        return
    require_quota(entry, entry.player)
    if entry.status == Status.PENDING:
        require_quota(entry, entry.owners()[-1], is_asked=True)


def require_quota(entry: Entry, player: Player, *, is_asked: bool = False) -> None:
    """Raise Conflict ``too_many_entries`` at the player's limit; ``is_asked``: as partner."""
    tournament = entry.tournament
    most = tournament.entries_per_player
    if entries_counted_for_player(tournament, player).exclude(pk=entry.pk).count() >= most:
        remedy = "name another partner" if is_asked else "withdraw one first"
        refusal = Conflict if is_asked else EntryLimitReached
        raise refusal(
            f"{player} has {most} of {most} entries; {remedy}.",
            "too_many_entries",
            entries_per_player=most,
        )
