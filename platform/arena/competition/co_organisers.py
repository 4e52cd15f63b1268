"""Co-organisers of an event: requirements, permission to name them, and the effects of a change."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Forbidden, Invalid, quoted
from arena.competition.models import Tournament
from arena.competition.organisers import is_lead_organiser

FIELD = "co_organisers"
MAX_CO_ORGANISERS = 10


def names_checked(names: object) -> list[str]:
    """Return the usernames sorted, without duplicates. Raises Invalid, also above ``MAX_CO_ORGANISERS``."""
    if names is None:
        return []
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise Invalid(f"{FIELD} must be a list of usernames.", "invalid", field=FIELD)
    usernames = sorted({name.strip() for name in names})
    if len(usernames) > MAX_CO_ORGANISERS:
        raise Invalid(
            f"{len(usernames)} further organisers are named; at most {MAX_CO_ORGANISERS} are allowed.",
            "invalid",
            field=FIELD,
        )
    return usernames


def accounts_named(names: Sequence[str], organiser: User, known: Collection[User] = ()) -> list[User]:
    """Return the accounts with these usernames; ``known`` co-organisers are not checked again.

    Raises Invalid ``unknown_co_organiser``, or ``invalid_co_organiser`` for the organiser or other accounts.
    """
    usernames = names_checked(names)
    users = {user.username: user for user in User.objects.filter(username__in=usernames)}
    present = {user.pk for user in known}
    for name in usernames:
        user = users.get(name)
        if user is None or user.deleted_at is not None:
            raise Invalid(
                f"There is no account {quoted(name)}. Use the name with which the organiser signs in.",
                "unknown_co_organiser",
                field=FIELD,
                name=name,
            )
        if user.pk == organiser.pk:
            raise Invalid(
                f"{name} already organises the tournament. Remove this name.",
                "invalid_co_organiser",
                field=FIELD,
                name=name,
            )
        if user.pk not in present and not (user.is_active and (user.is_organiser or user.is_staff)):
            raise Invalid(
                f"The account {name} is not an organiser. Ask the operator to make it one.",
                "invalid_co_organiser",
                field=FIELD,
                name=name,
            )
    return [users[name] for name in usernames]


def co_organiser_names(tournament: Tournament) -> list[str]:
    """Return the co-organisers' usernames in alphabetical order. One query unless prefetched."""
    return sorted(user.username for user in tournament.co_organisers.all())


def require_may_name_co_organisers(tournament: Tournament, actor: User, names: Sequence[str]) -> None:
    """Raise Forbidden unless a lead organiser changes the names, or a co-organiser removes itself."""
    if is_lead_organiser(actor, tournament):
        return
    if set(names_checked(names)) == set(co_organiser_names(tournament)) - {actor.username}:
        return
    raise Forbidden(
        f"Only {tournament.organiser} and staff can change the further organisers of this tournament. You "
        "can remove your own name.",
        "lead_organiser_only",
    )


def co_organisers_set(tournament: Tournament, users: Sequence[User], actor: User) -> None:
    """Replace the co-organisers, notify new ones, and mark entries of organisers until the lock."""
    before = set(tournament.co_organisers.all())
    tournament.co_organisers.set(users)
    for user in sorted(set(users) - before, key=lambda user: user.pk):
        if user.pk != actor.pk:
            notice_create(
                user,
                Notice.Kind.TOURNAMENT,
                {"code": "named_organiser", "user": actor.username, "tournament": tournament.name},
                tournament.page,
            )
    if before != set(users):
        _organisers_entries_mark(tournament)


def co_organiser_forget(user: User) -> None:
    for tournament in user.co_organised.order_by("pk"):
        audit(None, "remove_organiser", tournament, reason="the account was deleted")
    user.co_organised.clear()


def _organisers_entries_mark(tournament: Tournament) -> None:
    if tournament.state not in (Tournament.State.DRAFT, Tournament.State.OPEN):
        return
    organisers = {tournament.organiser_id, *tournament.co_organisers.values_list("pk", flat=True)}
    for entry in tournament.entries.select_related("player", "partner_version__bot__owner"):
        is_own = any(owner.user_id in organisers for owner in entry.owners())
        if entry.is_organiser_entry != is_own:
            entry.is_organiser_entry = is_own
            entry.save(update_fields=["is_organiser_entry"])
