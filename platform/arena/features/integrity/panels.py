"""Reports in words: headline, findings, and links to boards."""

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
    page: str
    fixture: str
    number: int
    stones: str


class FindingView(NamedTuple):
    number: int
    text: str
    chance: str
    owners: str
    boards: list[BoardLink]
    fixtures: list[str]
    """Public ids of fixtures ruled on, up to ``MAX_FIXTURES``."""
    ruling_page: str
    """URL of the page for a ruling on the pair; empty if the finding concerns a single entry."""


def stones_text(value: float) -> str:
    """Format stones with a sign.

    >>> stones_text(1.5), stones_text(-0.254)
    ('+1.50', '−0.25')
    """
    return f"{value:+.2f}".replace("-", MINUS)


def headline(report: Report, findings: list[NamedFinding]) -> list[str]:
    """Summarise a report in a few sentences."""
    results = [finding for finding in findings if finding.finding.subject == Subject.RESULTS]
    rulings = [finding for finding in findings if finding.finding.subject == Subject.RULINGS]
    conduct_count = len(findings) - len(results) - len(rulings)
    sentences = []
    values = {"pairs": f"{report.pairs:,}", "count": len(results)}
    if not report.pairs:
        sentences.append(_("Too early to say: no two entries have met on 16 boards yet."))
    elif not results:
        sentences.append(
            ngettext(
                "The results of %(pairs)s pair show nothing unusual.",
                "The results of %(pairs)s pairs show nothing unusual.",
                report.pairs,
            )
            % values
        )
    elif len(results) == 1:
        names = {"first": member_name(results[0].entry), "second": member_name(results[0].other)}
        sentences.append(
            _("The results of one of %(pairs)s pairs are unusual: %(first)s and %(second)s.")
            % {**values, **names}
        )
    else:
        sentences.append(_("The results of %(count)s of %(pairs)s pairs are unusual.") % values)
    if conduct_count:
        text = ngettext(
            "Forfeits or delays are unusual in %(count)s case.",
            "Forfeits or delays are unusual in %(count)s cases.",
            conduct_count,
        )
        sentences.append(text % {"count": conduct_count})
    elif report.fixtures:
        text = ngettext(
            "Forfeits and delays in %(fixtures)s fixture show nothing unusual.",
            "Forfeits and delays in %(fixtures)s fixtures show nothing unusual.",
            report.fixtures,
        )
        sentences.append(text % {"fixtures": f"{report.fixtures:,}"})
    if rulings:
        text = ngettext(
            "In %(count)s case, an account ruled on its own entry or a linked account's entry.",
            "In %(count)s cases, an account ruled on its own entry or a linked account's entry.",
            len(rulings),
        )
        sentences.append(text % {"count": len(rulings)})
    return sentences


def member_name(who: Entry | BotVersion | None) -> str:
    """Return the name of a version, or of the versions of an entry; empty for None."""
    if isinstance(who, Entry):
        return " + ".join(str(version) for version in who.versions())
    return "" if who is None else str(who)


def _owner_of(who: Entry | BotVersion | None) -> str:
    if isinstance(who, Entry):
        return who.player.handle
    return "" if who is None else who.bot.owner.handle


def finding_views(
    report: Report, findings: list[NamedFinding], *, may_rule: bool = True
) -> list[FindingView]:
    """Return the findings for a page, with links to rulings if the viewer may make them. No query."""
    return [
        FindingView(
            finding.finding.number,
            _finding_text(finding),
            _chance_text(finding.finding),
            ", ".join(filter(None, (_owner_of(finding.entry), _owner_of(finding.other)))),
            [_board_link(board) for board in finding.finding.unusual_boards],
            finding.finding.fixtures[:MAX_FIXTURES],
            _ruling_page(report, finding) if may_rule else "",
        )
        for finding in findings
    ]


def _chance_text(finding: Finding) -> str:
    if finding.q is None:
        return ""
    return _("Of 100 findings this unlikely, %(q)s are expected to be false.") % {
        "q": f"{100 * finding.q:.2g}"
    }


def _finding_text(named: NamedFinding) -> str:
    finding = named.finding
    if finding.subject == Subject.RULINGS:
        adjudicator = finding.adjudicator.username if finding.adjudicator is not None else ""
        values = {"adjudicator": adjudicator, "entry": member_name(named.entry), "observed": finding.observed}
        return str(_RULING_TEXTS[Finding.Link(finding.link)] % values)
    values = {
        "first": member_name(named.entry),
        "second": member_name(named.other),
        "boards": f"{finding.boards:,}",
        "observed": finding.observed,
        "meetings": finding.meetings,
        "expected": f"{finding.expected or 0:.1f}",
        "stones": stones_text(finding.residual or 0),
        "error": f"{finding.error or 0:.2f}",
    }
    return str(_FINDING_TEXTS[Subject(finding.subject), Kind(finding.kind)] % values)


_RULING_TEXTS = {
    Finding.Link.SAME: gettext_lazy(
        "%(adjudicator)s has or had the entry %(entry)s and made rulings in this tournament "
        "(%(observed)s in total)."
    ),
    Finding.Link.PAIR: gettext_lazy(
        "%(adjudicator)s made rulings on fixtures of %(entry)s (%(observed)s in total). Bots of "
        "the two accounts have played as partners."
    ),
    Finding.Link.BUNDLE: gettext_lazy(
        "%(adjudicator)s made rulings on fixtures of %(entry)s (%(observed)s in total). The two "
        "accounts uploaded the same bundle."
    ),
}
_FINDING_TEXTS = {
    (Subject.RESULTS, Kind.DUEL): gettext_lazy(
        "%(first)s won %(stones)s ± %(error)s more stones per board from %(second)s than their ratings "
        "predict, on %(boards)s boards."
    ),
    (Subject.RESULTS, Kind.TRANSFER): gettext_lazy(
        "When at the same table, %(first)s won and %(second)s lost %(stones)s ± %(error)s stones "
        "per board more than their ratings predict, on %(boards)s boards."
    ),
    (Subject.RESULTS, Kind.ALLIANCE): gettext_lazy(
        "When at the same table, %(first)s and %(second)s together won %(stones)s ± %(error)s "
        "stones per board more than their ratings predict, on %(boards)s boards."
    ),
    (Subject.FORFEITS, Kind.AGAINST): gettext_lazy(
        "%(first)s forfeited %(observed)s of %(meetings)s fixtures against %(second)s. The number "
        "expected by chance is %(expected)s."
    ),
    (Subject.FORFEITS, Kind.RECEIVED): gettext_lazy(
        "Opponents of %(second)s forfeited %(observed)s of %(meetings)s fixtures against it. The "
        "number expected by chance is %(expected)s."
    ),
    (Subject.DELAYS, Kind.AGAINST): gettext_lazy(
        "%(first)s delayed answers in %(observed)s of %(meetings)s fixtures against "
        "%(second)s. The number expected by chance is %(expected)s."
    ),
    (Subject.DELAYS, Kind.RECEIVED): gettext_lazy(
        "Opponents of %(second)s delayed answers in %(observed)s of %(meetings)s "
        "fixtures against it. The number expected by chance is %(expected)s."
    ),
    (Subject.DELAYS, Kind.FREQUENT): gettext_lazy(
        "%(first)s delayed answers in %(observed)s of %(meetings)s fixtures. The "
        "number expected at the other entries' rate is %(expected)s."
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


def _ruling_page(report: Report, named: NamedFinding) -> str:
    if named.entry is None or named.other is None:
        return ""
    pair = [named.entry.public_id, named.other.public_id]
    if report.tournament is not None:
        return reverse("web:organise-pair", args=[report.tournament.public_id, *pair])
    assert report.list is not None, "a report is on a list or an event"
    return reverse("web:integrity-pair", args=[report.list.public_id, *pair])
