"""Texts of the headings and notes of formats."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from league.formats import all_formats
from league.stage import Caption

TEXTS = {
    **{key: format_.title for key, format_ in all_formats().items()},
    "bracket": _("Bracket"),
    "winners_bracket": _("Winners' bracket"),
    "losers_bracket": _("Losers' bracket"),
    "grand_final": _("Grand final"),
    "final": _("Final"),
    "semi_final": _("Semi-finals"),
    "quarter_final": _("Quarter-finals"),
    "third_place": _("Third place"),
    "second_match": _("Second match"),
    "round": _("Round {n}"),
    "round_of": _("Round of {n}"),
    "group": _("Group {n}"),
    "pass": _("Pass {n}, {of}"),
    "void": _("void"),
    "bye": _("bye"),
    "draw": _("draw"),
    "playing": _("being played"),
    "nobody": _("no winner"),
    "not_needed": _("not needed"),
    "to_be_replayed": _("tied, play-off to come"),
    "seed_advances": _("tied, the better seed advances"),
    "seed_wins": _("tied, the better seed wins"),
    "changed": _("changed after the next round was paired"),
    "replay": _("play-off {n}"),
    "winner": _("winner of {of}"),
    "loser": _("loser of {of}"),
    "final_match": _("the final"),
    "semi_final_match": _("semi-final {n}"),
    "quarter_final_match": _("quarter-final {n}"),
    "round_of_match": _("match {n} in the round of {m}"),
    "third_place_match": _("the match for third place"),
    "winners_match": _("match {n} in winners' round {m}"),
    "losers_match": _("match {n} in losers' round {m}"),
    "grand_final_match": _("the grand final"),
    "second_grand_final": _("the second grand final"),
}
"""Text by code. ``n``, ``m`` and ``of`` are fields of ``Caption``."""


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def group_name(number: int) -> str:
    """Return the name of a group by its number from 1: a letter, or after the last one the number.

    >>> group_name(1), group_name(26), group_name(27)
    ('A', 'Z', '27')
    """
    return LETTERS[number - 1] if 1 <= number <= len(LETTERS) else str(number)


def caption_text(caption: Caption) -> str:
    """Return the text of a caption in the active language.

    >>> caption_text(Caption("winner", of=Caption("semi_final_match", 2)))
    'winner of semi-final 2'
    """
    of = caption_text(caption.of) if caption.of else ""
    number = group_name(caption.n) if caption.code == "group" else caption.n
    return gettext(TEXTS[caption.code]).format(n=number, m=caption.m, of=of)
