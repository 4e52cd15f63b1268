"""Lists of ratings and their lines as tables: ranges of ranks, intervals, and why somebody has none yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import FinalLine, Missing, Rating, RatingChange, RatingList
from bots.kit.display.console import DIM, Cell, columns, print_table
from bots.kit.display.words import counted, interval_text, minute_text, name_text
from league.rating.guards import Code, Reason

COLUMNS = {"self": "With itself as partner", "strangers": "With strangers as partners"}
CAUSES = {"closed": "board set closed", "rescored": "scores changed"}


def lists_print(console: Console, url: str, lists: Sequence[RatingList]) -> None:
    """The lists of a server, newest first."""
    if not lists:
        console.print(
            f"{url} has no such list of ratings. The first board set of a public event that closes makes one."
        )
        return
    rows: list[list[Cell]] = [
        [
            found["id"],
            Text(found["preset"], "bold"),
            found["season"],
            _boards_text(found),
            str(found["rated"]),
            str(found["unrated"]),
            f"{found['boards']:,}",
        ]
        for found in lists
    ]
    head = ("id", "preset", "season", "played", "rated", "not yet", "boards")
    print_table(console, columns(head, rows, right={4, 5, 6}))


def list_print(console: Console, found: RatingList, lines: Sequence[Rating]) -> None:
    """A list: what it is made of, then its lines by column."""
    console.print(f"{found['preset']}, {found['season']}: {_boards_text(found)}", style="bold")
    console.print(
        f"{counted(found['boards'], 'board')} in {counted(found['fixtures'], 'fixture')} and "
        f"{counted(found['sets'], 'board set')}; {found['rated']} rated, {found['unrated']} not yet",
    )
    made_at = f", {minute_text(found['made_at'])} UTC" if found["made_at"] else ""
    console.print(
        f"revision {found['revision']}{made_at}, digest {found['digest']}", style=DIM, soft_wrap=True
    )
    present = [partner for partner in COLUMNS if any(line["partner"] == partner for line in lines)]
    for partner in present:
        console.print()
        if len(present) > 1 or partner == "strangers":
            console.print(COLUMNS[partner], style="bold")
        _lines_print(console, [line for line in lines if line["partner"] == partner])
    console.print("Stones a board against the average of the list; 95 % intervals and ranges.", style=DIM)


def lines_print(console: Console, lines: Sequence[Rating]) -> None:
    """Lines of several lists, each list under its name."""
    by_list: dict[str, list[Rating]] = {}
    for line in lines:
        by_list.setdefault(line["list"], []).append(line)
    for list_id, found in by_list.items():
        console.print(f"{found[0]['preset']}, {found[0]['season']} ({list_id})", style="bold")
        _lines_print(console, found, has_partner=any(line["partner"] == "strangers" for line in found))
    console.print("Stones a board against the average of the list; 95 % intervals and ranges.", style=DIM)


def _lines_print(console: Console, lines: Sequence[Rating], *, has_partner: bool = False) -> None:
    rated = [line for line in lines if line["estimate"] is not None]
    unrated = [line for line in lines if line["estimate"] is None]
    partner = ("partners",) if has_partner else ()
    if rated:
        head = ("rank", "bot", "player", *partner, "stones", "interval", "boards", "fixtures")
        rows: list[list[Cell]] = [
            [
                rank_text(line),
                *_names(line, has_partner=has_partner),
                *_figures(line),
                f"{line['boards']:,}",
                str(line["fixtures"]),
            ]
            for line in rated
        ]
        right = {0, *range(len(head) - 4, len(head))}
        print_table(console, columns(head, rows, right=right, fold={1, 2}))
    if unrated:
        head = ("", "bot", "player", *partner, "not comparable yet")
        rows = [
            ["-", *_names(line, has_partner=has_partner), Text(reasons_text(line["reasons"]), DIM)]
            for line in unrated
        ]
        print_table(console, columns(head, rows, fold={1, 2, len(head) - 1}))


def history_print(console: Console, changes: Sequence[RatingChange]) -> None:
    """What the lines of a version came to say, the latest first."""
    has_partner = any(change["partner"] == "strangers" for change in changes)
    partner = ("partners",) if has_partner else ()
    head = ("UTC", "list", *partner, "rank", "stones", "interval", "boards", "because")
    rows: list[list[Cell]] = [
        [
            minute_text(change["at"]),
            f"{change['preset']} {change['season']}",
            *([change["partner"]] if has_partner else []),
            rank_text(change),
            *_figures(change),
            f"{change['boards']:,}",
            Text(_because(change), DIM),
        ]
        for change in changes
    ]
    right = set(range(len(head) - 5, len(head) - 1))
    print_table(console, columns(head, rows, right=right, fold={len(head) - 1}))


def _because(change: RatingChange) -> str:
    where = f" of {change['tournament']}" if change["tournament"] else ""
    text = f"{CAUSES[change['cause']]}{where}"
    return text if change["estimate"] is not None else f"{text}: {reasons_text(change['reasons'])}"


def _names(line: Rating, *, has_partner: bool) -> list[Cell]:
    version = line["version"]
    bot = Text(version["bot"], "bold") + Text(f" {version['number']}", DIM)
    return [bot, Text(line["player"]), *([line["partner"]] if has_partner else [])]


def _figures(line: Rating | RatingChange) -> list[Cell]:
    estimate, low, high = line["estimate"], line["low"], line["high"]
    if estimate is None or low is None or high is None:
        return ["", ""]
    return [f"{estimate:+.3f}", interval_text(low, high)]


def rank_text(line: Rating | RatingChange | FinalLine) -> str:
    """The range a rank may have: ``2-6``, or one number; a dash without a rating."""
    low, high = line["rank_low"], line["rank_high"]
    if low is None or high is None:
        return "-"
    return str(low) if low == high else f"{low}-{high}"


def reasons_text(reasons: Sequence[Missing]) -> str:
    """Why somebody is not comparable yet, in words."""
    return "; ".join(_reason_text(reason) for reason in reasons)


def _reason_text(missing: Missing) -> str:
    code = missing["code"]
    # A server newer than this kit may have reasons of its own.
    is_known = code in get_args(Code)
    return (
        Reason(cast(Code, code), missing["have"], missing["need"]).sentence if is_known else name_text(code)
    )


def _boards_text(found: RatingList) -> str:
    return f"{found['board_kind']} boards, {found['seats']} seats"
