"""Elements that are visible at some positions of a deal only, rendered at one position.

A page contains the elements of every position; the script toggles the class ``gone``. A page for one seat
contains nothing that the seat does not know at the position.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from viewer.markup import Attributes, Html, element

NOTHING = Html("")


class ReplayMoment(NamedTuple):
    """The rendered position of a deal, and its reader."""

    at: int
    seat: int | None
    """None: for a reader who may see everything."""
    stops: tuple[int, ...] = ()
    """Positions shown by a page that omits others, ascending; for the script, indexes in it are positions."""

    def span(self, first: int, until: int | None) -> dict[str, int | None]:
        """Return the attributes that tell the script where an element is visible."""
        start, end = self.stop(first), None if until is None else self.stop(until)
        return {"data-in": start or None, "data-out": end}

    def stop(self, position: int) -> int:
        """Return the first stop at or after a position."""
        return bisect_left(self.stops, position) if self.stops else position

    def is_omitted(self, first: int, until: int | None) -> bool:
        """Return whether no stop is in this range."""
        end = len(self.stops) if until is None else self.stop(until)
        return bool(self.stops) and self.stop(first) >= end

    def timed(
        self,
        name: str,
        attributes: Attributes | None,
        *children: str,
        first: int = 0,
        until: int | None = None,
    ) -> Html:
        """Return an element that is visible from position ``first`` to the one before ``until``."""
        if self.is_omitted(first, until):
            return NOTHING
        if not self.is_now(first, until):
            if self.seat is not None:
                return NOTHING
            attributes = add_class(attributes, "gone")
        return element(name, {**(attributes or {}), **self.span(first, until)}, *children)

    def is_now(self, first: int, until: int | None = None) -> bool:
        """Return whether the position is in this range."""
        return first <= self.at and (until is None or self.at < until)

    def staged(self, name: str, attributes: Attributes | None, *children: str, first: int, last: int) -> Html:
        """Return an element that is *now* at these positions and *later*, for one seat empty, before them."""
        if self.at < first and self.seat is not None:
            children = ()
        return self.marked(name, attributes, *children, first=first, last=last)

    def marked(self, name: str, attributes: Attributes | None, *children: str, first: int, last: int) -> Html:
        """Return the same for an element that keeps its content: a row or a list item."""
        if self.at < first:
            attributes = add_class(attributes, "is-later")
        elif self.at <= last:
            attributes = add_class(attributes, "is-now")
        return element(name, {**(attributes or {}), "data-at": f"{first}-{last}"}, *children)

    def hides(self, seat: int) -> bool:
        """Return whether the hand of a seat is hidden from this reader."""
        return self.seat is not None and self.seat != seat


def add_class(attributes: Attributes | None, name: str) -> Attributes:
    given = dict(attributes or {})
    return {**given, "class": f"{given['class']} {name}" if given.get("class") else name}
