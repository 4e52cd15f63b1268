"""Seats and sides as text; distinguishes entries with equal names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.web.base.bidi import isolated
from arena.web.base.labels import EntryLabel
from arena.web.base.wording import current_viewer_texts


class SideName(NamedTuple):
    """An entry in a list without players."""

    name: str
    player: str
    """Empty unless another player's entry in the list has the same name."""


def seats_text(side: Sequence[int]) -> str:
    """Join seat numbers.

    >>> seats_text((1, 3)), seats_text((5,))
    ('1 & 3', '5')
    """
    return current_viewer_texts().pair(side)


def side_text(side: Sequence[int]) -> str:
    """Describe a side: ``seats 1 & 3``, ``seat 5``."""
    text = _("seat %(seats)s") if len(side) == 1 else _("seats %(seats)s")
    return text % {"seats": seats_text(side)}


def ambiguous_names(entries: Iterable[EntryLabel]) -> frozenset[str]:
    """Return names that entries of different players share."""
    players: dict[str, str] = {}
    return frozenset(
        entry.name for entry in entries if players.setdefault(entry.name, entry.player) != entry.player
    )


MAX_NAMED_SIDES = 4
"""Maximum sides that a heading names; of more, it names one less."""


def side_titles(sides: Sequence[Sequence[EntryLabel]]) -> list[str]:
    """Name each side of a fixture: bots without versions, unless two entries would have the same name."""
    bots = [tuple(bot.name for bot in entry.bots) for side in sides for entry in side]
    is_clear = len(set(bots)) == len(bots)
    shared = ambiguous_names(entry for side in sides for entry in side)

    def name(entry: EntryLabel) -> str:
        if is_clear:
            return " + ".join(isolated(bot.name) for bot in entry.bots)
        return f"{entry.name} ({entry.player})" if entry.name in shared else entry.name

    return [" + ".join(map(name, side)) for side in sides]


def sides_heading(sides: Sequence[Sequence[EntryLabel]]) -> str:
    """Name the sides of a fixture as ``side_titles``, the first ones of many."""
    titles = side_titles(sides)
    named = titles if len(titles) <= MAX_NAMED_SIDES else titles[: MAX_NAMED_SIDES - 1]
    heading = " – ".join(named)
    if len(named) == len(sides):
        return heading
    count = len(sides) - len(named)
    text = ngettext("%(names)s and %(count)d other", "%(names)s and %(count)d others", count)
    return text % {"names": heading, "count": count}


def side_names(sides: Sequence[Sequence[EntryLabel]]) -> list[tuple[SideName, ...]]:
    shared = ambiguous_names(entry for side in sides for entry in side)
    return [
        tuple(SideName(entry.name, entry.player if entry.name in shared else "") for entry in side)
        for side in sides
    ]
