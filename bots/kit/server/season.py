"""``rensho series table``: table of a season, and its verification from final standings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.shapes import Season, SeasonTournament, StageStandings
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
from league.season import FinalStanding, SeasonPlace, SeasonRules, season_table, tournament_places
from league.season import SeasonTournament as Computed

LEFT, LOT = "left", "lot"
MAX_PRINTED = 20
"""Maximum differences in the output."""
NO_SEASON = "No season yet: the table appears when the first tournament is over."


def register_table(commands: Commands) -> None:
    parser = server_command(
        commands, "table", "show the table of a season, or check it", _table, needs_account=False
    )
    add_page_id(parser, "series")
    parser.add_argument("--season", metavar="SEASON", help="a quarter such as 2026-Q4 (the last one)")
    help_text = "recompute it from the final standings of all editions and print differences; status 1 if any"
    parser.add_argument("--check", action="store_true", help=help_text)


def _table(client: Client, arguments: argparse.Namespace) -> int:
    season = client.season_table(arguments.series, season=arguments.season)
    if not arguments.check:
        return print_result(arguments, season, lambda: _print(season))
    standings = {tournament["id"]: client.standings(tournament["id"]) for tournament in season["tournaments"]}
    messages = season_differences(season, standings)

    def show() -> None:
        if not season["tournaments"]:
            print_lines(NO_SEASON)
            return
        where = f"{season['season']}, {count_text(len(season['tournaments']), 'tournament')}"
        if not messages:
            print_lines(f"{where}: places, points and table agree with the final standings.")
        for text in messages[:MAX_PRINTED]:
            print_lines(f"{where}: {text}")
        if len(messages) > MAX_PRINTED:
            print_lines(f"{where}: and {len(messages) - MAX_PRINTED} more")

    print_result(arguments, {"season": season, "differences": messages}, show)
    return CHECK_FAILED if messages else DONE


def season_differences(season: Season, standings: Mapping[str, list[StageStandings]]) -> list[str]:
    """Return the differences between a season table and the table computed from final standings."""
    stated = season["rules"]
    rules = SeasonRules(tuple(stated["points"]), stated["drop_worst_every"])
    messages: list[str] = []
    computed: list[Computed] = []
    for tournament in season["tournaments"]:
        placed = tournament_places(_finishes(standings[tournament["id"]]), rules)
        computed.append(Computed(tournament["id"], placed))
        messages += _tournament_differences(tournament, placed)
    if rules.counting(len(computed)) != stated["counting"]:
        messages.append(
            f"{stated['counting']} tournaments count in the table, not {rules.counting(len(computed))}"
        )
    derived = {
        row.competitor: (
            row.rank,
            str(row.points),
            [(result.tournament, result.place, str(result.points), result.counts) for result in row.results],
        )
        for row in season_table(computed, rules)
    }
    for line in season["rows"]:
        who = f"{line['player']}: {line['bot']}"
        results = [
            (each["tournament"], each["place"], each["points"], each["counts"]) for each in line["results"]
        ]
        given = (line["rank"], line["points"], results)
        expected = derived.pop(who, None)
        if expected is None:
            messages.append(f"{who} has a row and no points in any tournament")
        elif given != expected:
            messages.append(
                f"{who}: rank {given[0]} with {given[1]} points, not {expected[0]} with {expected[1]}"
            )
    return messages + [f"{who} has points and no row" for who in derived]


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


def _tournament_differences(tournament: SeasonTournament, placed: tuple[SeasonPlace, ...]) -> list[str]:
    given = {each["entry"]: (each["place"], each["points"]) for each in tournament["placed"]}
    expected = {each.entry: (each.place, str(each.points)) for each in placed}
    return [
        f"{tournament['name']}, entry {entry}: place and points {given.get(entry)}, not {expected.get(entry)}"
        for entry in sorted(given | expected)
        if given.get(entry) != expected.get(entry)
    ]


def _print(season: Season) -> None:
    console = console_for()
    if not season["tournaments"]:
        console.print(NO_SEASON, style=DIM)
        return
    tournaments = len(season["tournaments"])
    console.print(
        f"{season['season']}: {count_text(tournaments, 'tournament')}, "
        f"the best {season['rules']['counting']} count"
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
    console.print(f"Points by place: {worth}; entries separated only by lot share points.", style=DIM)
