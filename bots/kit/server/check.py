"""``rensho check``: the server's check of an upload, on this machine, with the versions of the server."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bots.kit.client import Client
from bots.kit.client.errors import NotLoggedIn
from bots.kit.display.console import print_lines, print_note, print_result
from bots.kit.display.fault_text import reproduce_command
from bots.kit.errors import CHECK_FAILED, DONE, ENVIRONMENT_FAILURE, KitError
from bots.kit.local.bot_presets import PRESET_HELP, preset_for
from bots.kit.local.check import check_bot, check_lines
from bots.kit.server.account import current_login
from bots.kit.subcommands import Commands, add_bot_path, add_command, add_no_sandbox

ANSWER_TIMEOUT_S = 3.0
"""Maximum wait for the server: the check itself does not need it."""


class ServerVersions(NamedTuple):
    url: str
    runtimes: Mapping[str, Mapping[str, list[str]]]
    """Versions of each program of each runtime, several if workers differ."""


def register(commands: Commands) -> None:
    check = add_command(commands, "check", "check a bot as a server checks an upload", _check)
    add_bot_path(check)
    check.add_argument("--preset", help=f"rules of the trial ({PRESET_HELP})")
    check.add_argument(
        "--seed", default="", help="repeat the trial with this seed, from the output of a check (random)"
    )
    add_no_sandbox(check)
    check.add_argument(
        "--save-fault", type=Path, metavar="FOLDER", help="save fault files there, for rensho reproduce"
    )


def _check(arguments: argparse.Namespace) -> int:
    is_sandboxed = not arguments.no_sandbox
    report, files = check_bot(
        arguments.path,
        preset_for(arguments.preset, [str(arguments.path)]),
        seed=arguments.seed,
        is_sandboxed=is_sandboxed,
        folder=arguments.save_fault,
    )
    saved = {"fault_files": [str(file) for file in files]} if arguments.save_fault else {}

    server = server_versions()
    there = {} if server is None else dict(server.runtimes.get(report.runtime, {}))
    if server is not None and (differing := differences(report.bot.versions, there)):
        print_note(f"{report.runtime} differs from that of {server.url}: {', '.join(differing)}")

    def show() -> None:
        for line in check_lines(report):
            print_lines(line)
        for file in files:
            level = "NONE" if report.report is None else report.report.sandbox_level
            print_lines(f"Reproduce: {reproduce_command(file, str(arguments.path), level)}")

    print_result(arguments, {**report.to_json(), **saved, "server_versions": there}, show)
    if report.platform_fault is not None:
        return ENVIRONMENT_FAILURE
    return DONE if report.accepted else CHECK_FAILED


def server_versions() -> ServerVersions | None:
    """Return the versions of the stored server; None without one, or with a note if it does not answer."""
    try:
        login = current_login()
        with Client(login.url, login.token, max_retry_after_s=0, answer_timeout_s=ANSWER_TIMEOUT_S) as client:
            limits = client.get("limits")
    except NotLoggedIn:
        return None
    except KitError as error:
        print_note(f"the versions of the server are unknown: {error}")
        return None
    # Servers of release 1.0 do not list runtimes.
    return ServerVersions(login.url, {each["name"]: _programs(each) for each in limits.get("runtimes", ())})


def _programs(runtime: Mapping[str, Any]) -> dict[str, list[str]]:
    return {each["name"]: each["versions"] for each in runtime["programs"]}


def differences(local: Mapping[str, str], server: Mapping[str, list[str]]) -> list[str]:
    """Return a text for each program of a runtime whose version here is none of the server's.

    >>> differences({"python": "3.13.1", "numpy": "2.4.6"}, {"python": ["3.11.2"], "numpy": ["2.4.6"]})
    ['python 3.13.1 here, 3.11.2 there']
    """
    return [
        f"{name} {version} here, {' or '.join(server[name])} there"
        for name, version in local.items()
        if name in server and version not in server[name]
    ]
