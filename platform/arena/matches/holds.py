"""The order of locks: a tournament first, then its stages, rounds, fixtures and tables, so that no two
transactions wait for each other."""

from __future__ import annotations

from arena.competition.models import Tournament


def tournament_hold(**which: object) -> None:
    """Hold a tournament to the end of the transaction, for one that will change tables and then it.

    ``which`` finds it, as ``tables=pk`` does. Whoever rules on a fixture or cancels the tournament has it
    first and then wants the tables; held in the other order, PostgreSQL ends one of the two with an error.
    One query.
    """
    held = Tournament.objects.select_for_update(of=("self",), no_key=True).filter(**which)
    list(held.values_list("pk"))
