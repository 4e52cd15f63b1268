"""docs/kit.md against the commands there are: every command, every option, every exit status."""

import argparse
import json
import re
from pathlib import Path

import pytest

from bots.kit import cli, errors
from bots.kit.replay_step import KEYS
from engine import game_named
from referee.contract import Clock, Fault, FaultPolicy, Limits, Verdict
from referee.reproduce import FaultFile

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "kit.md").read_text()


def commands():
    """The parser of each command."""
    parser = cli._parser()
    (of_commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return of_commands.choices


def section(name):
    """What the page says of a command."""
    found = re.search(rf"^## rensho {name}\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, f"docs/kit.md has no section on {name}"
    return found[1]


def spelling(action):
    """An option as help spells it, with what it takes."""
    if not action.option_strings:
        return action.metavar or action.dest
    if action.nargs == 0:
        return action.option_strings[-1]
    taken = action.metavar or ("{%s}" % ",".join(action.choices) if action.choices else action.dest.upper())  # noqa: UP031
    return f"{action.option_strings[-1]} {taken}"


def test_the_page_has_a_section_for_each_command_in_order():
    assert re.findall(r"^## rensho (\w+)$", DOCUMENT, re.MULTILINE) == list(commands())
    for name in commands():
        assert f"[`{name}`](#rensho-{name})" in DOCUMENT


@pytest.mark.parametrize("name", list(commands()))
def test_every_option_is_in_its_section_and_no_other(name):
    told = re.findall(r"^\| `([^`]+)` \| ", section(name).partition("| Option |")[2], re.MULTILINE)
    actions = [action for action in commands()[name]._actions if action.dest != "help"]
    assert sorted(told) == sorted(spelling(action) for action in actions)


@pytest.mark.parametrize("name", list(commands()))
def test_every_default_in_help_is_told(name):
    for action in commands()[name]._actions:
        help_text = (action.help or "") % {"default": action.default}
        for default in re.findall(r"\(([^()]+)\)$", help_text):
            row = next(row for row in section(name).splitlines() if row.startswith(f"| `{spelling(action)}`"))
            assert default.replace("rensho.toml", "`rensho.toml`") in row


def test_every_exit_status_is_told():
    statuses = {errors.DONE, errors.FOUND_WRONG, errors.UNUSABLE, errors.MACHINE_UNABLE, errors.INTERRUPTED}
    table = DOCUMENT.partition("**Exit status**")[2].partition("Errors are")[0]
    assert {int(status) for status in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == statuses


def test_every_preset_is_named():
    for key in ("kakeya", "kakkuri"):
        for preset in game_named(key).presets:
            assert f"`{preset}`" in section("new")


def test_every_key_is_told():
    keys = section("replay").partition("| Key |")[2].partition("| Option |")[0]
    for letter in filter(str.isalpha, (key for key in KEYS if len(key) == 1)):
        assert f"`{letter}`" in keys or letter in "hl", letter


def test_every_field_of_a_fault_file_is_told():
    table = section("reproduce").partition("| Field |")[2].partition("| Option |")[0]
    told = [
        name
        for row in re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    fault = Fault(Verdict.CRASHED, "", 0, 0, "start", None, None, "", {}, "", None)
    record = [{"e": "table"}]
    file = FaultFile(
        {}, 1, "", "", "", Limits(), Clock(), FaultPolicy.STRICT, (), "", fault, False, (), None, record
    )
    assert sorted(told) == sorted(json.loads(file.encoded()))
