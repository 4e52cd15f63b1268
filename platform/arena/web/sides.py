"""Seats and sides in words."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _


def seats_text(side: Sequence[int]) -> str:
    """Seats as they are named.

    >>> seats_text((1, 3)), seats_text((5,))
    ('1 & 3', '5')
    """
    return " & ".join(map(str, side))


def side_text(side: Sequence[int]) -> str:
    """A side in words: ``seats 1 & 3``, ``seat 5``."""
    text = _("seat %(seats)s") if len(side) == 1 else _("seats %(seats)s")
    return text % {"seats": seats_text(side)}
