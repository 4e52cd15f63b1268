"""The cast. Aya owns the bot, Ben partners her, Chie is a stranger; Odo organises, Sota is staff.

Everything is made by the services, so a row made here is a row that could exist.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from arena.accounts.events import event_add, events_settle
from arena.accounts.models import ApiToken, Event, Notice, User
from arena.accounts.services import token_create, user_create
from arena.competition.models import Entry, Invitation, Tournament
from arena.competition.services import (
    entry_create,
    invitation_add,
    tournament_create,
    tournament_lock,
    tournament_open,
)
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.services import (
    bot_create,
    check_claim,
    check_finish,
    player_of,
    version_create,
    version_suspend,
)
from tests.chance import serial

PRESET = "kakeya4"
RUNTIME = "python/1"


def _user(name: str, **flags: bool) -> User:
    found = User.objects.filter(username=name).first()
    return found or user_create(name, **flags)


def aya() -> User:
    """Owns the bot."""
    return _user("aya")


def ben() -> User:
    """Partners Aya."""
    return _user("ben")


def chie() -> User:
    """A stranger."""
    return _user("chie")


def odo() -> User:
    """Organises the tournament."""
    return _user("odo", is_organiser=True)


def rin() -> User:
    """Organises other tournaments."""
    return _user("rin", is_organiser=True)


def sota() -> User:
    """Staff."""
    return _user("sota", is_staff=True)


def logged_events() -> QuerySet[Event]:
    """The log, with all that is committed."""
    events_settle(wait=True)
    return Event.objects.all()


def write(tournament: Tournament, number: int) -> None:
    """Write the end of a round, which says its number, in the transaction there is."""
    event_add("round.closed", tournament, tournament=tournament.public_id, number=number)


def an_event(tournament: Tournament, kind: str = "round.closed", **data: object) -> Event:
    """An event of a tournament."""
    event_add(kind, tournament, tournament=tournament.public_id, **data)
    return logged_events().latest("id")


def a_token(user: User, *scopes: str) -> str:
    """The text of a fresh token, with every scope the role allows unless some are named."""
    chosen = list(scopes) or [
        s for s in ApiToken.Scope.values if s != "organise" or user.is_organiser or user.is_staff
    ]
    return token_create(user, name=f"token {serial()}", scopes=chosen, actor=user)[1]


def a_bot(owner: User, name: str = "", **fields: Any) -> Bot:
    """A bot for kakeya without versions."""
    return bot_create(owner, name=name or f"bot {serial()}", game=fields.pop("game", "kakeya"), **fields)


def an_upload(bot: Bot, **fields: Any) -> BotVersion:
    """A version whose check waits. Its bundle is a hash nothing stands behind, unless given."""
    bundle = hashlib.sha256(str(serial()).encode()).hexdigest()
    given = {
        "bundle_sha256": bundle,
        "bundle_bytes": 100,
        "runtime": RUNTIME,
        "entry_point": "bot.py",
        "notes": "",
        "actor": bot.owner.user,
    }
    return version_create(bot, **{**given, **fields})


def a_running_check(version: BotVersion) -> CheckRun:
    """The version's waiting check, claimed."""
    check = check_claim(version.checks.get(state=CheckRun.State.WAITING).pk)
    assert check is not None
    return check


def a_version(bot: Bot, **fields: Any) -> BotVersion:
    """A version that passed its check; the bot's active one if it had none."""
    return passed(an_upload(bot, **fields))


def passed(version: BotVersion) -> BotVersion:
    """The version, taken as checked."""
    steps = [{"name": "trial", "ok": True, "detail": "4 boards played"}]
    check_finish(
        a_running_check(version), accepted=True, steps=steps, reasons=[], report=None, runtime_digest="d" * 64
    )
    version.refresh_from_db()
    # Its owner has been told; a test finds only the notices it is about.
    Notice.objects.filter(user=version.bot.owner.user, kind=Notice.Kind.READY).delete()
    return version


def a_suspended_version(bot: Bot, **fields: Any) -> BotVersion:
    """A version that passed its check and was suspended later."""
    version = a_version(bot, **fields)
    with transaction.atomic():
        assert version_suspend(version, "it forfeited 3 of its last 10 tables")
    return version


def a_tournament(organiser: User | None = None, **fields: Any) -> Tournament:
    """A draft: one single round robin of kakeya4 on two deal boards a round."""
    given = {"name": f"Cup {serial()}", "preset": PRESET, "boards_per_round": 2}
    return tournament_create(organiser or odo(), **{**given, **fields})


def an_open_tournament(organiser: User | None = None, **fields: Any) -> Tournament:
    """A tournament whose registration is open."""
    tournament = a_tournament(organiser, **fields)
    tournament_open(tournament, tournament.organiser)
    return tournament


def an_entry(tournament: Tournament, owner: User, **fields: Any) -> Entry:
    """A ready version of a new bot of this owner, entered."""
    return entry_create(tournament, a_version(a_bot(owner, game=tournament.game)), owner, **fields)


def a_pair_entry(tournament: Tournament, owner: User) -> Entry:
    """Two ready versions of two new bots of this owner, entered as a pair."""
    first, second = (a_version(a_bot(owner, game=tournament.game)) for _ in range(2))
    return entry_create(tournament, first, owner, partner_version=second)


def a_pending_entry(tournament: Tournament, owner: User, partner: User) -> Entry:
    """A pair of a bot of the owner and one of the partner, who has not answered yet."""
    first, second = (a_version(a_bot(player, game=tournament.game)) for player in (owner, partner))
    return entry_create(tournament, first, owner, partner_version=second)


def a_locked_tournament(entries: int = 4, **fields: Any) -> Tournament:
    """A tournament whose field of so many players is fixed."""
    tournament = an_open_tournament(**fields)
    for owner in players(entries):
        an_entry(tournament, owner, accepts_partners=True)
    tournament_lock(tournament, tournament.organiser)
    return tournament


def an_invitation(tournament: Tournament, user: User) -> Invitation:
    """A player invited by the organiser."""
    return invitation_add(tournament, player_of(user), tournament.organiser)


def players(count: int) -> list[User]:
    """So many accounts: Aya, Ben, Chie, then others."""
    cast = [aya, ben, chie]
    return [cast[number]() if number < len(cast) else _user(f"player{number + 1}") for number in range(count)]
