"""Titles and notes that other packages give in English, in the reader's language.

Formats name their brackets, columns and open places; states of tables are codes. Numbers in them are put back
after the translation.
"""

from __future__ import annotations

import re

from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_noop as _

KNOWN = frozenset(
    (
        _("Double elimination"),
        _("Single elimination"),
        _("Groups"),
        _("Heats"),
        _("Individual movement"),
        _("Round robin"),
        _("Swiss"),
        _("Given fixtures"),
        _("Bracket"),
        _("Winners' bracket"),
        _("Losers' bracket"),
        _("Grand final"),
        _("Final"),
        _("Semi-finals"),
        _("Quarter-finals"),
        _("Third place"),
        _("Second match"),
        _("Round {n}"),
        _("Round of {n}"),
        # In which rounds of the stage the matches of a column are played.
        _("round {n}"),
        _("rounds {n} to {m}"),
        _("Group {n}"),
        # What stands at an open place, and which matches it waits for.
        _("bye"),
        _("draw"),
        _("nobody"),
        _("not needed"),
        _("being played"),
        _("level, to be replayed"),
        _("level, the better seed advances"),
        _("level, the better seed wins"),
        _("changed after the next round was drawn"),
        _("replay {n}"),
        _("winner of {match}"),
        _("loser of {match}"),
        _("the final"),
        _("the grand final"),
        _("semi-final {n}"),
        _("quarter-final {n}"),
        _("match {n} of the round of {m}"),
        _("match {n} of winners' round {m}"),
        _("match {n} of losers' round {m}"),
        # States of tables, entries, fixtures and cups.
        _("playing"),
        _("finished"),
        _("waiting"),
        _("void"),
        _("quarantined"),
        _("entered"),
        _("pending"),
        _("withdrawn"),
        _("active"),
        _("ended"),
        _("paused"),
    )
)
"""Each with its numbers left out; whatever is not among them stays as it is."""
NUMBER = re.compile(r"\d+")
SOURCE = re.compile(r"(winner|loser) of ([^,]+)")


def localized(text: str) -> str:
    """The text in the reader's language, if it is one of ``KNOWN``, or several with commas between them.

    >>> localized("Round 3"), localized("winner of semi-final 2, bye"), localized("Something new")
    ('Round 3', 'winner of semi-final 2, bye', 'Something new')
    """
    whole = _translated(text)
    if whole is not None:
        return whole
    pieces = [_translated(piece) or piece for piece in text.split(", ")]
    return pgettext("between two facts", ", ").join(pieces) if len(pieces) > 1 else pieces[0]


def _translated(text: str) -> str | None:
    if (source := SOURCE.fullmatch(text)) is not None:
        match = _translated(source[2]) or source[2]
        return gettext(f"{source[1]} of {{match}}").replace("{match}", match)
    numbers = NUMBER.findall(text)
    names = iter("nm")
    key = NUMBER.sub(lambda _match: "{" + next(names, "x") + "}", text)
    if key not in KNOWN:
        return None
    found = gettext(key)
    for name, number in zip("nm", numbers, strict=False):
        found = found.replace("{" + name + "}", number)
    return found
