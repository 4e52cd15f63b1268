"""``rensho series``: recurring cups, their editions, and the bots entered in each edition."""

from __future__ import annotations

import argparse
from typing import Any, cast, get_args

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.shapes import (
    FrequencyEnum,
    Series,
    SeriesChangesIn,
    SeriesIn,
    SeriesState,
    SubscriptionIn,
    TemplateIn,
    WeekdayEnum,
)
from bots.kit.display.console import DIM, console_for, print_lines, print_result, print_result_table
from bots.kit.display.formatting import minute_text, name_text
from bots.kit.display.tournament import plan_print
from bots.kit.errors import InvalidInput
from bots.kit.server.account import connect
from bots.kit.server.arguments import (
    NOTHING_CHANGED,
    NOTHING_CREATED,
    add_dry_run,
    add_file,
    add_limit,
    add_page_id,
    add_reason,
    server_command,
    take_limit,
)
from bots.kit.server.drafts import add_template_options, fields_from_file, template_from_arguments
from bots.kit.server.season import register_table
from bots.kit.server.times import times_to_utc
from bots.kit.server.version_lookup import own_bot
from bots.kit.subcommands import Commands, add_command, add_group

MAX_EDITIONS_PRINTED = 3
"""Maximum coming editions in the output."""
STATES = get_args(SeriesState)
WEEKDAYS = get_args(WeekdayEnum)
FIELDS_OWNER = "a series"
VERB_HELP = {
    "pause": "stop creating editions until resume",
    "resume": "create editions again",
    "end": "stop creating editions permanently",
}


def register(commands: Commands) -> None:
    below = add_group(
        commands,
        "series",
        "recurring cups: list, create and run them, enter a bot in every edition",
        "Recurring cups. Creating and running them needs an organiser's token.",
    )
    listed = server_command(below, "list", "list series, newest first", _list, needs_account=False)
    help_text = f"in this state: {', '.join(STATES)}"
    listed.add_argument("--state", choices=STATES, metavar="STATE", help=help_text)
    listed.add_argument("--organiser", metavar="NAME", help="of this organiser")
    add_limit(listed)
    help_text = "show a series with its next editions"
    add_page_id(server_command(below, "show", help_text, _show, needs_account=False), "series")
    new = add_command(below, "new", "create a series from a file, from options, or both", _new)
    _add_fields(new)
    new.add_argument("--dry-run", action="store_true", help="create nothing; show dates, plan and cost")
    changed = add_command(below, "change", "change a series from its next edition on", _change)
    add_page_id(changed, "series")
    _add_fields(changed)
    for verb, help_line in VERB_HELP.items():
        moved = server_command(below, verb, help_line, _act)
        add_page_id(moved, "series")
        if verb != "resume":
            add_reason(moved)
        add_dry_run(moved)
        moved.set_defaults(verb=verb)
    register_table(below)
    help_text = "list the bots entered in every edition"
    add_page_id(server_command(below, "bots", help_text, _bots, needs_account=False), "series")
    joined = server_command(below, "join", "enter a bot in every edition from now on", _join)
    add_page_id(joined, "series")
    joined.add_argument("bot", metavar="BOT", help="name or id of your bot; its active version plays")
    joined.add_argument("--partner", metavar="BOT", help="another of your bots, for a pair of two")
    help_text = "in tournaments with changing partners: accept all partners"
    joined.add_argument("--any-partner", action="store_true", help=help_text)
    left = server_command(below, "leave", "stop entering a bot in new editions", _leave)
    add_page_id(left, "series")
    left.add_argument("bot", metavar="BOT", help="name or id of your bot")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument("--name", help="name of the series; editions have its name and a number")
    parser.add_argument("--frequency", choices=get_args(FrequencyEnum), help="how often")
    parser.add_argument(
        "--weekday", choices=WEEKDAYS, metavar="DAY", help="day of weekly editions, such as monday"
    )
    help_text = "day of monthly editions, 1 to 31; shorter months use their last day"
    parser.add_argument("--month-day", metavar="N", type=int, help=help_text)
    help_text = "time zone of --start-time, such as Europe/Berlin (UTC)"
    parser.add_argument("--timezone", metavar="ZONE", help=help_text)
    parser.add_argument("--start-time", metavar="HH:MM", help="when an edition starts, in its time zone")
    parser.add_argument("--open-hours", metavar="N", type=int, help="entry opens this many hours before")
    parser.add_argument(
        "--until", metavar="TIME", help="no edition starts after this; a day alone means its end"
    )
    add_template_options(parser)


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    fields = fields_from_file(arguments.file, SeriesIn, FIELDS_OWNER) if arguments.file is not None else {}
    given = {name: getattr(arguments, name, None) for name in SeriesIn.__annotations__}
    fields.update({name: value for name, value in given.items() if value is not None})
    times_to_utc(fields)
    template = template_from_arguments(arguments, TemplateIn, "an edition")
    if template:
        stored = fields.get("template")
        fields["template"] = {**(stored if isinstance(stored, dict) else {}), **template}
    return fields


def _list(client: Client, arguments: argparse.Namespace) -> int:
    series_list = take_limit(
        arguments, client.series_list(organiser=arguments.organiser, state=arguments.state)
    )
    head = ("id", "name", "organiser", "when", "state", "next edition")
    rows = [
        (
            series["id"],
            series["name"],
            series["organiser"],
            when_text(series),
            series["state"],
            minute_text(series["ahead"][0]["starts_at"]) if series["ahead"] else "",
        )
        for series in series_list
    ]
    return print_result_table(arguments, series_list, head, rows, empty="No series.", fold={1})


def _show(client: Client, arguments: argparse.Namespace) -> int:
    return _print_series(arguments, client.series(arguments.series))


def _new(arguments: argparse.Namespace) -> int:
    fields = _fields(arguments)
    missing = [name for name in ("name", "frequency", "start_time") if name not in fields]
    if missing:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise InvalidInput(f"a series needs a name, how often and when: give {options}, or a file")
    if "preset" not in fields.get("template", {}):
        raise InvalidInput("a series needs rules for its editions: give --preset, or a file")
    with connect(needs_account=True) as client:
        if not arguments.dry_run:
            return _print_series(arguments, client.series_create(cast(SeriesIn, fields)))
        planned = client.series_preview(cast(SeriesIn, fields))

    def show() -> None:
        console = console_for()
        series_print(console, planned["series"])
        plan_print(console, planned["plan"])
        console.print(NOTHING_CREATED)

    return print_result(arguments, planned, show)


def _change(arguments: argparse.Namespace) -> int:
    series_id = arguments.series
    fields = _fields(arguments)
    if not fields:
        raise InvalidInput("say what to change, such as --start-time 21:00")
    with connect(needs_account=True) as client:
        if "template" in fields:
            # The server replaces a template as a whole: what is not named stays as it is.
            fields["template"] = {**client.series(series_id)["template"], **fields["template"]}
        return _print_series(arguments, client.series_change(series_id, cast(SeriesChangesIn, fields)))


def _act(client: Client, arguments: argparse.Namespace) -> int:
    series_id, dry_run = arguments.series, arguments.dry_run
    match arguments.verb:
        case "pause":
            series = client.series_pause(series_id, arguments.reason, dry_run=dry_run)
        case "end":
            series = client.series_end(series_id, arguments.reason, dry_run=dry_run)
        case _:
            series = client.series_resume(series_id, dry_run=dry_run)
    state = f"{NOTHING_CHANGED}: it would be {series['state']}" if dry_run else series["state"]
    return print_result(arguments, series, lambda: print_lines(f"{series['name']}: {state}"))


def _bots(client: Client, arguments: argparse.Namespace) -> int:
    subscriptions = list(client.subscriptions(arguments.series))
    rows = [
        (
            subscription["bot"]["name"],
            subscription["partner_bot"]["name"] if subscription["partner_bot"] else "",
            subscription["player"],
        )
        for subscription in subscriptions
    ]
    empty = "No bots are entered in every edition."
    return print_result_table(arguments, subscriptions, ("bot", "partner", "player"), rows, empty=empty)


def _join(client: Client, arguments: argparse.Namespace) -> int:
    fields: SubscriptionIn = {
        "bot": own_bot(client, arguments.bot)["id"],
        "accepts_partners": arguments.any_partner,
    }
    if arguments.partner is not None:
        fields["partner_bot"] = own_bot(client, arguments.partner)["id"]
    joined = client.subscription_create(arguments.series, fields)
    pair = filter(None, (joined["bot"], joined["partner_bot"]))
    names = " + ".join(bot["name"] for bot in pair)
    line = f"{names} will be entered in every edition, with the version active then."
    return print_result(arguments, joined, lambda: print_lines(line))


def _leave(client: Client, arguments: argparse.Namespace) -> int:
    bot = own_bot(client, arguments.bot)
    client.subscription_remove(arguments.series, bot["id"])
    line = f"{bot['name']} will be entered in no further edition."
    return print_result(arguments, {"series": arguments.series, "bot": bot["id"]}, lambda: print_lines(line))


def _print_series(arguments: argparse.Namespace, series: Series) -> int:
    return print_result(arguments, series, lambda: series_print(console_for(), series))


def series_print(console: Console, series: Series) -> None:
    console.print(f"{series['name']}: {series['state']}", style="bold", soft_wrap=True)
    template = series["template"]
    stages = ", ".join(name_text(stage["format"]) for stage in template.get("stages") or ())
    editions = [
        f"{minute_text(edition['starts_at'])} UTC, "
        + (
            f"open for entry: {edition['tournament']}"
            if edition["tournament"]
            else f"entry from {minute_text(edition['opens_at'])}"
        )
        for edition in series["ahead"][:MAX_EDITIONS_PRINTED]
    ]
    properties = [
        ("id", series["id"]),
        ("organiser", series["organiser"]),
        ("when", when_text(series)),
        ("until", f"{minute_text(series['until'])} UTC" if series["until"] else ""),
        ("rules", template.get("preset", "")),
        ("stages", stages),
        ("editions", str(series["last_edition"])),
        *(("next" if index == 0 else "", text) for index, text in enumerate(editions)),
        ("reason", series["state_reason"]),
    ]
    for name, value in properties:
        if value:
            console.print(f"  {name:<11} {value}", soft_wrap=True)
    verbs = [verb for verb in series["allowed_actions"] if verb in VERB_HELP]
    if verbs:
        console.print(f"Allowed now: {', '.join(verbs)}", style=DIM, soft_wrap=True)


def when_text(series: Series) -> str:
    """Return the schedule: ``weekly, monday 20:00 Europe/Berlin``."""
    day = f"{series['weekday']} " if series["weekday"] else ""
    if series["month_day"]:
        day = f"day {series['month_day']}, "
    return f"{series['frequency']}, {day}{series['start_time']} {series['timezone']}"
