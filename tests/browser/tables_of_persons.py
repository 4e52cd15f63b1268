"""Tables of persons on the site that the browser visits: one in play, and one that is over."""

from __future__ import annotations

from arena.accounts.models import User
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.sharing import share
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import a_seat, act, advance

TURNS = 4
ADDRESS = "192.0.2.8"


def under_way(user: User) -> str:
    """The id of a table at which some tricks were played."""
    person, table = Person(user, "", ADDRESS), advance(a_seat(user))
    for _ in range(TURNS):
        at = seat_position(table)
        act(person, table.public_id, at.n, at.legal[0])
        advance(table)
    return table.public_id


def over(user: User) -> str:
    """The id of a table that was played to its end."""
    return serve(a_seat(user), person=Person(user, "", ADDRESS)).public_id


def shared(user: User, table: str) -> str:
    """The secret in the address at which everybody may look at a table that is over."""
    share(Person(user, "", ADDRESS), table)
    return CasualTable.objects.get(public_id=table).share_token
