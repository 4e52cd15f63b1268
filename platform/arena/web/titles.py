"""Titles and notes that other packages give in English, in the reader's language.

Formats name their brackets, columns and open places; states of tables are codes. Numbers in them are put back
after the translation.
"""

from __future__ import annotations

import re

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

KNOWN = (
    _("Double elimination"),
    _("Single elimination"),
    _("Groups"),
    _("Heats"),
    _("Individual movement"),
    _("Round robin"),
    _("Swiss"),
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
    _("Group {n}"),
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
)
"""Each with its numbers left out; whatever is not among them stays as it is."""
NUMBER = re.compile(r"\d+")


def localized(text: str) -> str:
    """The text in the reader's language, if it is one of ``KNOWN``.

    >>> localized("Round 3"), localized("Something new")
    ('Round 3', 'Something new')
    """
    numbers = iter(NUMBER.findall(text))
    key = NUMBER.sub("{n}", text)
    if key not in KNOWN:
        return text
    return re.sub(r"\{n\}", lambda _match: next(numbers), gettext(key))
