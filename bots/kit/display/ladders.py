"""Ladders as tables: strengths counted from the yardstick, and the reasons of pairings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import FinalLine, Ladder, LadderRound, LadderSeasonWhole, Placement, Rating
from bots.kit.display.console import DIM, Cell, columns, print_table
from bots.kit.display.ratings import rank_text
from bots.kit.display.words import counted, interval_text, minute_text

YARDSTICK = "house"
"""The player whose bot stands at 0."""
KINDS = {
    "floor": "new: opponents by lot",
    "overlap": "where the order is least sure",
    "uniform": "by lot",
}
HEAD = ("rank", "bot", "player", "stones", "interval", "boards")
RIGHT = {0, 3, 4, 5}


def ladder_print(
    console: Console, ladder: Ladder, lines: Sequence[Rating], placed: Sequence[Placement]
) -> None:
    """Where everybody stands in the season that runs."""
    season = ladder["season"]
    console.print(ladder["name"], style="bold")
    about = f"{counted(ladder['placed'], 'bot')}, {counted(ladder['boards'], 'board')} a round"
    if season:
        ends = minute_text(season["ends_at"])
        about += f"; {season['name']} until {ends} UTC, {counted(season['rounds'], 'round')}"
    console.print(about)
    on_it = {row["version"]["id"] for row in placed}
    zero = _zero(lines)
    rows: list[list[Cell]] = []
    for line in lines:
        version = line["version"]
        name = Text(version["bot"], "bold") + Text(f" v{version['number']}", DIM)
        if version["id"] not in on_it:
            name += Text(" (left)", DIM)
        rows.append([rank_text(line), name, line["player"], *_figures(line, zero), f"{line['boards']:,}"])
    rated = {line["version"]["id"] for line in lines}
    for row in placed:
        if (version := row["version"])["id"] not in rated:
            name = Text(version["bot"], "bold") + Text(f" v{version['number']}", DIM)
            rows.append(["-", name, row["player"], "", "", "0"])
    if rows:
        print_table(console, columns(HEAD, rows, right=RIGHT, fold={1, 2}))
    console.print(_zero_text(zero), style=DIM)


def final_print(console: Console, ladder: Ladder, season: LadderSeasonWhole, lines: Sequence[Rating]) -> None:
    """The final table of a season."""
    console.print(f"{ladder['name']} {season['name']}", style="bold")
    if not season["final"]:
        console.print(f"Its final table is made after {minute_text(season['ends_at'])} UTC.")
        return
    named = {line["version"]["id"]: line for line in lines}
    final = season["final"]
    zero = next(
        (
            line["estimate"]
            for line in final
            if line["version"] in named and named[line["version"]]["player"] == YARDSTICK
        ),
        None,
    )
    rows: list[list[Cell]] = []
    for line in final:
        known = named.get(line["version"])
        name = f"{known['version']['bot']} v{known['version']['number']}" if known else line["version"]
        player = known["player"] if known else ""
        rows.append([rank_text(line), name, player, *_figures(line, zero), f"{line['boards']:,}"])
    print_table(console, columns(HEAD, rows, right=RIGHT, fold={1, 2}))
    console.print(_zero_text(zero), style=DIM)


def rounds_print(
    console: Console, ladder: Ladder, rounds: Sequence[LadderRound], names: Mapping[str, str]
) -> None:
    """Rounds with who met whom, and why."""
    if not rounds:
        console.print(f"{ladder['name']} has had no round yet.")
    for played in rounds:
        state = f"{played['state']}: {played['reason']}" if played["reason"] else played["state"]
        about = f"Round {played['number']}, {minute_text(played['drawn_at'])} UTC, {state}"
        console.print(f"{about} (tournament {played['tournament']})", style="bold")
        rows: list[list[Cell]] = []
        for pairing in played["pairings"]:
            who = " – ".join(names.get(version, version) for version in pairing["versions"])
            best = max(pairing["pairs"], key=lambda pair: pair["gain"])
            apart = f"{abs(best['difference']):.2f} ± {best['error']:.2f}"
            rows.append([who, apart, Text(KINDS.get(pairing["kind"], pairing["kind"]), DIM)])
        print_table(console, columns(("who", "apart", "why"), rows, right={1}, fold={0, 2}))
        if played["left_over"]:
            left = ", ".join(names.get(version, version) for version in played["left_over"])
            console.print(f"left over, first in the next round: {left}", style=DIM)


def _zero(lines: Sequence[Rating]) -> float | None:
    """The strength of the yardstick; None while it has none."""
    return next((line["estimate"] for line in lines if line["player"] == YARDSTICK), None)


def _zero_text(zero: float | None) -> str:
    against = "the average" if zero is None else "house greedy, which stands at 0"
    return f"Stones a board above {against}; 95 % intervals and ranges of ranks."


def _figures(line: Rating | FinalLine, zero: float | None) -> list[Cell]:
    estimate, low, high = line["estimate"], line["low"], line["high"]
    if estimate is None or low is None or high is None:
        return ["", "not comparable yet"]
    start = zero or 0.0
    return [f"{estimate - start:+.3f}", interval_text(low - start, high - start)]
