"""``rensho ladder``: who stands where, which boards are next and why, and putting versions on and off."""

from __future__ import annotations

import argparse

from bots.kit.client import Client
from bots.kit.client.address import place_of
from bots.kit.client.shapes import Ladder, Placement, PlacementIn
from bots.kit.display.console import answer, answer_table, console_for, say
from bots.kit.display.ladders import final_print, ladder_print, rounds_print
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.arguments import add_limit, limited, server_command
from bots.kit.server.naming import active, version_named
from bots.kit.subcommands import Commands, group

LADDER_HELP = "its name, such as kakeya4.league or kakkuri.league:5, its id, or the address of its page"


def register(commands: Commands) -> None:
    """Add ``rensho ladder``."""
    below = group(
        commands,
        "ladder",
        "ladders: see who stands where and why, put your bots on and take them off",
        "Ladders: versions on one are played, without being asked, for as long as they stay. Anybody may "
        "read them.",
    )
    listed = server_command(below, "list", "list the ladders of a server", _list, needs_account=False)
    listed.add_argument("--game", metavar="GAME", help="only of this game")
    shown = server_command(
        below, "show", "show the table of a ladder, or of one of its seasons", _show, needs_account=False
    )
    _add_ladder(shown)
    shown.add_argument("--season", metavar="SEASON", help="the final table of this season, such as 2026-Q4")
    rounds = server_command(
        below, "rounds", "show who met whom, and why, latest round first", _rounds, needs_account=False
    )
    _add_ladder(rounds)
    add_limit(rounds)
    joined = server_command(below, "join", "put a version on a ladder; it plays from the next round", _join)
    _add_ladder(joined)
    joined.add_argument(
        "bot", metavar="BOT", help="name of your bot, for its active version, or id of a version"
    )
    joined.add_argument("--season", metavar="SEASON", help="only if this season runs, such as 2026-Q4")
    left = server_command(below, "leave", "take a bot of yours off a ladder", _leave)
    _add_ladder(left)
    left.add_argument("bot", metavar="BOT", help="name of your bot, or id of the version that is on it")


def _add_ladder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ladder", metavar="LADDER", help=LADDER_HELP)


def _named(client: Client, text: str) -> Ladder:
    """The ladder of a name, an id or an address.

    Raises:
        InputUnusable: there is none.
    """
    found = list(client.ladders())
    _, wanted = place_of(text, ("ladders",))
    for ladder in found:
        if text == ladder["name"] or wanted == ladder["id"]:
            return ladder
    sizes = [ladder["name"] for ladder in found if ladder["preset"] == text]
    there_are = ", ".join(sizes or [ladder["name"] for ladder in found]) or "none"
    raise InputUnusable(f"{text!r} is no ladder of {client.url}; there are: {there_are}")


def _list(client: Client, arguments: argparse.Namespace) -> int:
    found = list(client.ladders(game=arguments.game))
    head = ("id", "ladder", "state", "season", "ends", "rounds", "bots")
    rows = []
    for ladder in found:
        season = ladder["season"]
        named = (season["name"], minute_text(season["ends_at"])) if season else ("", "")
        rounds = str(season["rounds"]) if season else "0"
        rows.append((ladder["id"], ladder["name"], ladder["state"], *named, rounds, str(ladder["placed"])))
    return answer_table(arguments, found, head, rows, empty="No ladder is played here.", right={5, 6})


def _show(client: Client, arguments: argparse.Namespace) -> int:
    ladder = _named(client, arguments.ladder)
    if arguments.season is not None:
        return _show_season(client, arguments, ladder)
    season = ladder["season"]
    lines = list(client.ratings(list_id=season["list"])) if season and season["list"] else []
    placed = list(client.placements(ladder["id"], placed=True))
    value = {"ladder": ladder, "lines": lines, "placements": placed}
    return answer(arguments, value, lambda: ladder_print(console_for(), ladder, lines, placed))


def _show_season(client: Client, arguments: argparse.Namespace, ladder: Ladder) -> int:
    seasons = list(client.ladder_seasons(ladder["id"]))
    season = next((row for row in seasons if row["name"] == arguments.season), None)
    if season is None:
        there_are = ", ".join(row["name"] for row in seasons) or "none"
        raise InputUnusable(f"{ladder['name']} has no season {arguments.season!r}; there are: {there_are}")
    whole = client.ladder_season(ladder["id"], season["id"])
    # Names are those of the list it was made of: the final table keeps ids alone.
    lines = list(client.ratings(list_id=season["list"])) if season["list"] else []
    return answer(arguments, whole, lambda: final_print(console_for(), ladder, whole, lines))


def _rounds(client: Client, arguments: argparse.Namespace) -> int:
    ladder = _named(client, arguments.ladder)
    found = limited(arguments, client.ladder_rounds(ladder["id"]))
    names = {row["version"]["id"]: _name(row) for row in client.placements(ladder["id"])}
    return answer(arguments, found, lambda: rounds_print(console_for(), ladder, found, names))


def _name(placement: Placement) -> str:
    version = placement["version"]
    return f"{version['bot']} v{version['number']}"


def _join(client: Client, arguments: argparse.Namespace) -> int:
    ladder = _named(client, arguments.ladder)
    fields: PlacementIn = {"version": version_named(client, arguments.bot, active)["id"]}
    if arguments.season is not None:
        fields["season"] = arguments.season
    made = client.placement_create(ladder["id"], fields)
    line = f"{_name(made)} is on the ladder {ladder['name']}. Follow it: rensho ladder show {ladder['name']}"
    return answer(arguments, made, lambda: say(line))


def _leave(client: Client, arguments: argparse.Namespace) -> int:
    ladder = _named(client, arguments.ladder)
    own = list(client.placements(ladder["id"], placed=True, player=client.me()["handle"] or ""))
    meant = [row for row in own if arguments.bot in (row["version"]["bot"], row["version"]["id"])]
    if not meant:
        there_are = ", ".join(map(_name, own)) or "none"
        name = ladder["name"]
        raise InputUnusable(f"{arguments.bot!r} is no bot of yours on {name}; there are: {there_are}")
    client.placement_end(ladder["id"], meant[0]["id"])
    line = f"{_name(meant[0])} has left the ladder {ladder['name']}."
    return answer(arguments, meant[0], lambda: say(line))
