"""Reports on results that do not fit, in sentences, and rulings on pairs."""

from __future__ import annotations

from rich.console import Console

from bots.kit.client.shapes import Finding, PairRuling, ReportDetail
from bots.kit.display.words import counted, minute_text

MEANS = "A finding is a reason to look at these boards; about one honest season in ten shows one at most."

LINKS = {
    "same": "the account has or had the entry",
    "pair": "bots of the account and of the entry's owner formed a pair",
    "bundle": "the account and the entry's owner uploaded the same bundle",
    "": "",
}
"""By how the account that ruled is linked to the entry."""


def headline(report: ReportDetail) -> str:
    """What there is to see, in a sentence: ``Nothing stands out among 190 pairs.``"""
    pairs = counted(report["pairs"], "pair")
    if not report["flagged"]:
        return f"Nothing stands out among {pairs}."
    stands = counted(report["flagged"], "finding")
    return f"{stands} in {pairs} and {counted(report['fixtures'], 'fixture')}."


def finding_text(finding: Finding) -> str:
    """What stands out, in a sentence."""
    entry = finding["entry"]["bot"] if finding["entry"] else ""
    other = finding["other"]["bot"] if finding["other"] else ""
    if finding["subject"] == "results":
        by = f"{finding['residual'] or 0:+.2f} ± {finding['error'] or 0:.2f} stones a board"
        match finding["kind"]:
            case "gang":
                what = f"{entry} and {other} won together {by} beyond their strengths"
            case "dump":
                what = f"{entry} won and {other} lost, {by} beyond their strengths"
            case _:
                what = f"{entry} won {by} from {other} beyond their strengths"
        return f"{what}, on {counted(finding['boards'], 'board')} (q {finding['q'] or 0:.2g})"
    if finding["subject"] == "rulings":
        return (
            f"{finding['ruler']} ruled on {counted(finding['meetings'], 'fixture')}: {LINKS[finding['link']]}"
        )
    does = "forfeited" if finding["subject"] == "forfeits" else "waited before answers in"
    match finding["kind"]:
        case "against":
            who = f"{entry} {does} {finding['seen']} of {finding['meetings']} fixtures against {other}"
        case "receives":
            who = f"opponents of {other} {does} {finding['seen']} of {finding['meetings']} fixtures"
        case _:
            who = f"{entry} {does} {finding['seen']} of {finding['meetings']} fixtures"
    return f"{who}; {finding['expected'] or 0:.1f} to be expected (q {finding['q'] or 0:.2g})"


def report_print(console: Console, report: ReportDetail) -> None:
    """A report: what stands out with the boards to look at, and the rulings there are."""
    console.print(f"{report['name']}: {headline(report)}", style="bold", soft_wrap=True)
    for finding in report["findings"]:
        console.print(f"  {finding['number']}. {finding_text(finding)}", soft_wrap=True)
        for who in (finding["entry"], finding["other"]):
            if who:
                console.print(f"     {who['id']}: {who['bot']} ({who['player']})", soft_wrap=True)
        for fixture in finding["fixtures"]:
            console.print(f"     /fixtures/{fixture}", soft_wrap=True)
        for board in finding["odd_boards"]:
            stones = "" if board["stones"] is None else f": {board['stones']:+.2f} stones off"
            console.print(f"     /boards/{board['board_set']}/{board['board']}{stones}", soft_wrap=True)
    if report["findings"]:
        console.print(MEANS, soft_wrap=True)
    if report["tables_missing"]:
        console.print(f"Times are not stored any more of {counted(report['tables_missing'], 'table')}.")
    for ruling in report["rulings"]:
        console.print(ruling_text(ruling), soft_wrap=True)


def ruling_text(ruling: PairRuling) -> str:
    """A ruling on a pair in a sentence."""
    first, second = ruling["pair"]
    text = (
        f"{ruling['id']}: {first['bot']} and {second['bot']}, {counted(ruling['fixtures'], 'fixture')}: "
        f"{ruling['reason']} ({ruling['by']}, {minute_text(ruling['at'])})"
    )
    if ruling["lifted_at"] is None:
        return text
    return (
        f"{text}; lifted: {ruling['lift_reason']} ({ruling['lifted_by']}, {minute_text(ruling['lifted_at'])})"
    )
