"""Elements that belong to some positions of a deal only, as they stand at one position.

A page holds what every position of a deal shows; what does not belong to the position drawn has the class
``gone``, and the script changes nothing but such classes. A page for one seat is different: it holds nothing
of what that seat does not know at the position.
"""

from __future__ import annotations

from typing import NamedTuple

from viewer.markup import Attributes, Html, element

NOTHING = Html("")


class Moment(NamedTuple):
    """The position a deal is drawn at, and for whom."""

    at: int
    seat: int | None
    """None: for a reader who may see everything."""

    def timed(
        self,
        name: str,
        attributes: Attributes | None,
        *children: str,
        first: int = 0,
        until: int | None = None,
    ) -> Html:
        """An element there from position ``first`` to the one before ``until``."""
        if not self.is_now(first, until):
            if self.seat is not None:
                return NOTHING
            attributes = with_class(attributes, "gone")
        span = {"data-in": first or None, "data-out": until}
        return element(name, {**(attributes or {}), **span}, *children)

    def is_now(self, first: int, until: int | None = None) -> bool:
        """Whether the position lies within."""
        return first <= self.at and (until is None or self.at < until)

    def staged(self, name: str, attributes: Attributes | None, *children: str, first: int, last: int) -> Html:
        """An element always there that is *now* in these positions and *later* before them.

        For one seat, what comes later stays empty.
        """
        if self.at < first and self.seat is not None:
            children = ()
        return self.marked(name, attributes, *children, first=first, last=last)

    def marked(self, name: str, attributes: Attributes | None, *children: str, first: int, last: int) -> Html:
        """The same for an element that keeps what is in it: a row or a list's item."""
        if self.at < first:
            attributes = with_class(attributes, "is-later")
        elif self.at <= last:
            attributes = with_class(attributes, "is-now")
        return element(name, {**(attributes or {}), "data-at": f"{first}-{last}"}, *children)

    def hides(self, seat: int) -> bool:
        """Whether the hand of a seat is not for this reader."""
        return self.seat is not None and self.seat != seat


def with_class(attributes: Attributes | None, name: str) -> Attributes:
    """The attributes with one class more."""
    given = dict(attributes or {})
    return {**given, "class": f"{given['class']} {name}" if given.get("class") else name}
