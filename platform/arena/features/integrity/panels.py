"""Reports on results that do not fit, in words: a headline, what stands out, and where to look."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.competition.models import Entry
from arena.features.integrity.models import Finding, Report
from arena.features.integrity.selectors import NamedFinding
from arena.roster.models import BotVersion

Subject, Kind = Finding.Subject, Finding.Kind
MAX_FIXTURES = 8
MINUS = "\N{MINUS SIGN}"


class BoardLink(NamedTuple):
    """A board to look at."""

    page: str
    fixture: str
    """Public id."""
    number: int
    stones: str
    """By how much it was off; empty of forfeits and waits."""


class FindingView(NamedTuple):
    """What stands out, as a page shows it."""

    number: int
    text: str
    chance: str
    """How likely it is, in words."""
    owners: str
    boards: list[BoardLink]
    fixtures: list[str]
    """Public ids of fixtures ruled on, to look at."""
    ruling_page: str
    """Where a ruling on the two is made; empty if it is about one alone."""


def stones_text(value: float) -> str:
    """Stones with a sign.

    >>> stones_text(1.5), stones_text(-0.254)
    ('+1.50', '−0.25')
    """
    return f"{value:+.2f}".replace("-", MINUS)


def headline(report: Report, found: list[NamedFinding]) -> list[str]:
    """What there is to see, words first, a sentence each."""
    results = [one for one in found if one.finding.subject == Subject.RESULTS]
    rulings = [one for one in found if one.finding.subject == Subject.RULINGS]
    others = len(found) - len(results) - len(rulings)
    says = []
    values = {"pairs": f"{report.pairs:,}", "count": len(results)}
    if not report.pairs:
        says.append(_("No two have met on 16 boards yet, so that results cannot be compared."))
    elif not results:
        says.append(
            ngettext(
                "Nothing stands out in the results of %(pairs)s pair.",
                "Nothing stands out among %(pairs)s pairs.",
                report.pairs,
            )
            % values
        )
    elif len(results) == 1:
        names = {"first": member_name(results[0].entry), "second": member_name(results[0].other)}
        says.append(_("One pair of %(pairs)s stands out: %(first)s and %(second)s.") % {**values, **names})
    else:
        says.append(_("%(count)s pairs of %(pairs)s stand out.") % values)
    if others:
        text = ngettext(
            "Forfeits or waits stand out in %(count)s case.",
            "Forfeits or waits stand out in %(count)s cases.",
            others,
        )
        says.append(text % {"count": others})
    elif report.fixtures:
        text = ngettext(
            "Forfeits and waits of %(fixtures)s fixture show nothing.",
            "Forfeits and waits of %(fixtures)s fixtures show nothing.",
            report.fixtures,
        )
        says.append(text % {"fixtures": f"{report.fixtures:,}"})
    if rulings:
        text = ngettext(
            "Rulings concern an entry of the account that ruled, or of one linked to it, in %(count)s case.",
            "Rulings concern an entry of the account that ruled, or of one linked to it, in %(count)s cases.",
            len(rulings),
        )
        says.append(text % {"count": len(rulings)})
    return says


def member_name(who: Entry | BotVersion | None) -> str:
    """A version, or the versions of an entry, in words; nothing of nobody."""
    if isinstance(who, Entry):
        return " + ".join(str(version) for version in who.versions())
    return "" if who is None else str(who)


def _owner_of(who: Entry | BotVersion | None) -> str:
    if isinstance(who, Entry):
        return who.player.handle
    return "" if who is None else who.bot.owner.handle


def finding_views(report: Report, found: list[NamedFinding], *, may_rule: bool = True) -> list[FindingView]:
    """Everything that stands out, with links to rulings if the viewer may make them. No query."""
    return [
        FindingView(
            one.finding.number,
            _finding_text(one),
            _chance_text(one.finding),
            ", ".join(filter(None, (_owner_of(one.entry), _owner_of(one.other)))),
            [_board_link(board) for board in one.finding.odd_boards],
            one.finding.fixtures[:MAX_FIXTURES],
            _ruling_page(report, one) if may_rule else "",
        )
        for one in found
    ]


def _chance_text(finding: Finding) -> str:
    if finding.q is None:
        return ""
    return _("%(q)s of 100 findings as unlikely as this one are false.") % {"q": f"{100 * finding.q:.2g}"}


def _finding_text(one: NamedFinding) -> str:
    finding = one.finding
    if finding.subject == Subject.RULINGS:
        ruler = finding.ruler.username if finding.ruler is not None else ""
        values = {"ruler": ruler, "entry": member_name(one.entry), "seen": finding.seen}
        return str(_RULING_TEXTS[Finding.Link(finding.link)] % values)
    values = {
        "first": member_name(one.entry),
        "second": member_name(one.other),
        "boards": f"{finding.boards:,}",
        "seen": finding.seen,
        "meetings": finding.meetings,
        "expected": f"{finding.expected or 0:.1f}",
        "stones": stones_text(finding.residual or 0),
        "error": f"{finding.error or 0:.2f}",
    }
    return str(_FINDING_TEXTS[Subject(finding.subject), Kind(finding.kind)] % values)


_RULING_TEXTS = {
    Finding.Link.SAME: gettext_lazy(
        "%(ruler)s, who has or had the entry %(entry)s, ruled in this event: %(seen)s."
    ),
    Finding.Link.PAIR: gettext_lazy(
        "%(ruler)s ruled on fixtures of %(entry)s: %(seen)s. Bots of the two accounts formed a pair."
    ),
    Finding.Link.BUNDLE: gettext_lazy(
        "%(ruler)s ruled on fixtures of %(entry)s: %(seen)s. The two accounts uploaded the same bundle."
    ),
}
_FINDING_TEXTS = {
    (Subject.RESULTS, Kind.DUEL): gettext_lazy(
        "%(first)s won %(stones)s ± %(error)s stones a board from %(second)s beyond what their strengths "
        "say, on %(boards)s boards."
    ),
    (Subject.RESULTS, Kind.DUMP): gettext_lazy(
        "At one table %(first)s won and %(second)s lost, %(stones)s ± %(error)s stones a board beyond what "
        "their strengths say, on %(boards)s boards."
    ),
    (Subject.RESULTS, Kind.GANG): gettext_lazy(
        "At one table %(first)s and %(second)s together won %(stones)s ± %(error)s stones a board beyond "
        "what their strengths say, on %(boards)s boards."
    ),
    (Subject.FORFEITS, Kind.AGAINST): gettext_lazy(
        "%(first)s forfeited %(seen)s of %(meetings)s fixtures against %(second)s; by chance it would be "
        "%(expected)s."
    ),
    (Subject.FORFEITS, Kind.RECEIVES): gettext_lazy(
        "Opponents of %(second)s forfeited %(seen)s of %(meetings)s fixtures against it; by chance it "
        "would be %(expected)s."
    ),
    (Subject.WAITS, Kind.AGAINST): gettext_lazy(
        "%(first)s waited idle before answers in %(seen)s of %(meetings)s fixtures against %(second)s; by "
        "chance it would be %(expected)s."
    ),
    (Subject.WAITS, Kind.RECEIVES): gettext_lazy(
        "Opponents of %(second)s waited idle before answers in %(seen)s of %(meetings)s fixtures against "
        "it; by chance it would be %(expected)s."
    ),
    (Subject.WAITS, Kind.OFTEN): gettext_lazy(
        "%(first)s waited idle before answers in %(seen)s of %(meetings)s fixtures; of the rest of the "
        "field one would expect %(expected)s."
    ),
}


def _board_link(board: dict[str, object]) -> BoardLink:
    page = reverse("web:board", args=[board["board_set"], board["board"]])
    stones = board["stones"]
    return BoardLink(
        page,
        str(board["fixture"]),
        int(str(board["board"])),
        _("%(stones)s stones") % {"stones": stones_text(stones)} if isinstance(stones, float) else "",
    )


def _ruling_page(report: Report, one: NamedFinding) -> str:
    if one.entry is None or one.other is None:
        return ""
    pair = [one.entry.public_id, one.other.public_id]
    if report.tournament is not None:
        return reverse("web:organise-pair", args=[report.tournament.public_id, *pair])
    assert report.list is not None, "a report is on a list or an event"
    return reverse("web:integrity-pair", args=[report.list.public_id, *pair])
