"""Rulings of the organiser, staff or the system on what counts of a fixture."""

from __future__ import annotations

from collections.abc import Collection

from arena.accounts.models import User
from arena.matches.models import Adjudication, Fixture


def fixture_adjudicate(
    fixture: Fixture, actor: User | None, kind: str, entries: Collection[str] = (), reason: str = ""
) -> Adjudication:
    """Decide what counts of a fixture: ``forfeit`` by some of its entries, ``draw``, ``void`` or ``lift``.

    On an open fixture its unfinished tables become void and it is done. A round that was drawn already keeps
    its pairings. A provisional tournament is running again until its scores are made and audited anew.
    ``entries`` are public ids. ``actor`` None stands for the system.

    Raises:
        Forbidden: neither the organiser nor staff.
        Conflict: ``wrong_state``, ``fixture_is_bye``, ``tables_unfinished`` (lift), ``nothing_to_lift``,
            ``field_drawn`` once a later stage was drawn from it.
        Invalid: ``kind``, ``entries`` or ``reason``; ``extra["field"]`` names it.
    """
    raise NotImplementedError
