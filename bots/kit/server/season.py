"""``rensho series table``: the table of a cup's season, and whether it follows from the final standings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.shapes import Season, SeasonEvent, StageStandings
from bots.kit.display.console import (
    DIM,
    Cell,
    console_for,
    print_lines,
    print_result,
    print_table,
    text_table,
)
from bots.kit.display.formatting import count_text, numbers_text
from bots.kit.errors import CHECK_FAILED, DONE
from bots.kit.server.arguments import add_page_id, server_command
from bots.kit.subcommands import Commands
from league.season import FinalStanding, SeasonPlace, SeasonRules, event_places, season_table
from league.season import SeasonEvent as Held

LEFT, LOT = "left", "lot"
MAX_PRINTED = 20
"""Differences printed."""
NO_SEASON = "There is no season yet: no event is over. The table comes with the first one."


def register_table(commands: Commands) -> None:
    """Add ``rensho series table`` below ``series``."""
    parser = server_command(
        commands, "table", "show the table of a season, or check it", _table, needs_account=False
    )
    add_page_id(parser, "series")
    parser.add_argument("--season", metavar="SEASON", help="a quarter such as 2026-Q4 (the last one)")
    help_text = "derive it from the final standings of every event, and name what differs; status 1 if any"
    parser.add_argument("--check", action="store_true", help=help_text)


def _table(client: Client, arguments: argparse.Namespace) -> int:
    season = client.season_table(arguments.series, season=arguments.season)
    if not arguments.check:
        return print_result(arguments, season, lambda: _print(season))
    standings = {event["id"]: client.standings(event["id"]) for event in season["events"]}
    found = season_differences(season, standings)

    def show() -> None:
        if not season["events"]:
            print_lines(NO_SEASON)
            return
        where = f"{season['season']}, {count_text(len(season['events']), 'event')}"
        if not found:
            print_lines(f"{where}: places, points and table follow from the final standings.")
        for text in found[:MAX_PRINTED]:
            print_lines(f"{where}: {text}")
        if len(found) > MAX_PRINTED:
            print_lines(f"{where}: and {len(found) - MAX_PRINTED} more")

    print_result(arguments, {"season": season, "differences": found}, show)
    return CHECK_FAILED if found else DONE


def season_differences(season: Season, standings: Mapping[str, list[StageStandings]]) -> list[str]:
    """What of a season does not follow from the final standings of its events, in words."""
    stated = season["rules"]
    rules = SeasonRules(tuple(stated["points"]), stated["one_dropped_of"])
    found: list[str] = []
    held: list[Held] = []
    for event in season["events"]:
        placed = event_places(_finishes(standings[event["id"]]), rules)
        held.append(Held(event["id"], placed))
        found += _event_differences(event, placed)
    if rules.counting(len(held)) != stated["counting"]:
        found.append(f"{stated['counting']} events are said to count, not {rules.counting(len(held))}")
    derived = {
        row.competitor: (
            row.rank,
            str(row.points),
            [(result.event, result.place, str(result.points), result.counts) for result in row.results],
        )
        for row in season_table(held, rules)
    }
    for line in season["rows"]:
        who = f"{line['player']}: {line['bot']}"
        results = [(each["event"], each["place"], each["points"], each["counts"]) for each in line["results"]]
        given = (line["rank"], line["points"], results)
        wanted = derived.pop(who, None)
        if wanted is None:
            found.append(f"{who} has a line and no points in any event")
        elif given != wanted:
            found.append(f"{who}: rank {given[0]} with {given[1]} points, not {wanted[0]} with {wanted[1]}")
    return found + [f"{who} has points and no line" for who in derived]


def _finishes(stages: list[StageStandings]) -> list[list[FinalStanding]]:
    return [
        [
            FinalStanding(
                row["entry"],
                f"{row['player']}: {row['bot']}",
                row["rank"],
                row["decided_by"] == LOT,
                row["status"] == LEFT,
            )
            for row in stage["rows"]
        ]
        for stage in sorted(stages, key=lambda stage: -stage["stage"])
    ]


def _event_differences(event: SeasonEvent, placed: tuple[SeasonPlace, ...]) -> list[str]:
    given = {each["entry"]: (each["place"], each["points"]) for each in event["placed"]}
    wanted = {each.entry: (each.place, str(each.points)) for each in placed}
    return [
        f"{event['name']}, entry {entry}: place and points {given.get(entry)}, not {wanted.get(entry)}"
        for entry in sorted(given | wanted)
        if given.get(entry) != wanted.get(entry)
    ]


def _print(season: Season) -> None:
    console = console_for()
    if not season["events"]:
        console.print(NO_SEASON, style=DIM)
        return
    events = len(season["events"])
    console.print(
        f"{season['season']}: {count_text(events, 'event')}, the best {season['rules']['counting']} count"
    )
    rows: list[list[Cell]] = []
    points = numbers_text([line["points"] for line in season["rows"]])
    for line, text in zip(season["rows"], points, strict=True):
        dropped = sum(not result["counts"] for result in line["results"])
        rows.append(
            [
                str(line["rank"]),
                Text(line["bot"], "bold"),
                Text(line["player"]),
                text,
                str(sum(result["place"] == 1 for result in line["results"])),
                str(len(line["results"])),
                str(dropped),
            ]
        )
    head = ("", "bot", "player", "points", "won", "with points", "dropped")
    print_table(console, text_table(head, rows, right={0, 3, 4, 5, 6}, fold={1, 2}))
    worth = ", ".join(map(str, season["rules"]["points"]))
    console.print(f"Points by place: {worth}; whom only the lot parts share them.", style=DIM)
