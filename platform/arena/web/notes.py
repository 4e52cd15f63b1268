"""Notes and reasons that the platform stores in English, in the reader's language.

Why a stage ended, and why an event stands as it does, are kept as sentences. Those that the platform writes
are known by their form; what people typed stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

_PASSES = r"(?P<passes>\d+) pass(?:es)?"
_PAIRS = r"(?P<level>\d+) of (?P<pairs>\d+) pairs of neighbours not separated"


def noted(note: str) -> str:
    """A note for readers, safe for a page if it has markup; one of no known form as it is.

    >>> noted("closed early: the hall closes"), noted("Rain.")
    ('closed early: the hall closes', 'Rain.')
    """
    for form, words in _FORMS:
        if (found := form.fullmatch(note)) is not None:
            return words(found)
    return note


def _closed_early(found: re.Match[str]) -> str:
    if not found["reason"]:
        return _("closed early")
    return _("closed early: %(reason)s") % {"reason": found["reason"]}


def _pass_count(found: re.Match[str]) -> str:
    count = int(found["passes"])
    return ngettext("%(count)d pass", "%(count)d passes", count) % {"count": count}


def _level(found: re.Match[str]) -> str:
    values = {"level": found["level"], "pairs": found["pairs"]}
    return _("%(level)s of %(pairs)s pairs of neighbours not separated") % values


def _separated(found: re.Match[str]) -> str:
    return _("after %(passes)s all neighbours of the table are separated") % {"passes": _pass_count(found)}


def _most_passes(found: re.Match[str]) -> str:
    values = {"passes": _pass_count(found), "level": _level(found)}
    return _("%(passes)s played, the most there may be; %(level)s") % values


def _budget_spent(found: re.Match[str]) -> str:
    values = {"passes": _pass_count(found), "level": _level(found)}
    values |= {name: found[name] for name in ("left", "budget", "cost")}
    return (
        _(
            "the budget is spent: after %(passes)s %(left)s of %(budget)s CPU-seconds remain, a pass takes "
            "%(cost)s; %(level)s"
        )
        % values
    )


def _in_english(lead: str, rest: str) -> str:
    """A translated lead before a message of the layers below, which is in English."""
    return format_html('{} <span lang="en">{}</span>', lead, rest)


def _unfit(found: re.Match[str]) -> str:
    count = int(found["entries"])
    lead = ngettext(
        "it cannot be played by %(count)d entry:", "it cannot be played by %(count)d entries:", count
    )
    return _in_english(lead % {"count": count}, found["why"])


def _disagreements(found: re.Match[str]) -> str:
    count = int(found["count"])
    lead = ngettext(
        "the audit found %(count)d disagreement, the first:",
        "the audit found %(count)d disagreements, the first:",
        count,
    )
    return _in_english(lead % {"count": count}, found["first"])


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(form, re.DOTALL), words)
    for form, words in (
        (r"closed early(?:: (?P<reason>.+))?", _closed_early),
        (r"cancelled", lambda found: _("cancelled")),
        (
            r"nobody of the stage before is left to play it",
            lambda found: _("nobody of the stage before is left to play it"),
        ),
        (r"its last edition was made", lambda found: _("its last edition was made")),
        (rf"after {_PASSES} all neighbours of the table are separated", _separated),
        (rf"{_PASSES} played, the most there may be; {_PAIRS}", _most_passes),
        (
            rf"budget_spent: after {_PASSES} (?P<left>\d+) of (?P<budget>\d+) CPU-seconds remain, "
            rf"a pass takes (?P<cost>\d+); {_PAIRS}",
            _budget_spent,
        ),
        (r"it cannot be played by (?P<entries>\d+) entries: (?P<why>.+)", _unfit),
        (r"the audit found (?P<count>\d+) disagreements, the first: (?P<first>.+)", _disagreements),
    )
)
