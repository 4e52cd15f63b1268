"""docs/kit.md against the commands there are: every command, every option, every exit status."""

import argparse
import functools
import json
import re
from pathlib import Path

import pytest

from bots.kit import cli, errors
from bots.kit.replay.step import KEYS
from engine import game_named
from referee.contract import Clock, Fault, FaultPolicy, Limits, Verdict
from referee.reproduce import FaultFile

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "kit.md").read_text()


def below(parser):
    """The parsers of the commands under a parser; none if it is one itself."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


@functools.cache
def commands():
    """The parser of each command."""
    return below(cli.parser_for(()))


@functools.cache
def whole_commands():
    """The parser of each command by all its words: ``new``, ``tournaments list``."""
    found = {}
    for name, parser in commands().items():
        verbs = below(parser)
        found.update({f"{name} {verb}": subparser for verb, subparser in verbs.items()} or {name: parser})
    return found


def section(words):
    """What the page says of a command; of one with a verb the part that has the verb in its heading."""
    name, _, verb = words.partition(" ")
    found = re.search(rf"^## rensho {name}\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, f"docs/kit.md has no section on {name}"
    if not verb:
        return found[1]
    parts = re.findall(
        rf"^### rensho {name} ([a-z, -]+)\n(.*?)(?=^### |\Z)", found[1], re.MULTILINE | re.DOTALL
    )
    texts = [text for verbs, text in parts if verb in verbs.split(", ")]
    assert len(texts) == 1, f"docs/kit.md has {len(texts)} parts on {words}"
    return texts[0]


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


def test_no_part_is_on_a_verb_there_is_not():
    for name, verbs in re.findall(r"^### rensho (\w+) ([a-z, -]+)$", DOCUMENT, re.MULTILINE):
        assert set(verbs.split(", ")) <= set(below(commands()[name]))


@pytest.mark.parametrize("words", list(whole_commands()))
def test_every_option_is_in_its_section_and_no_other(words):
    documented = re.findall(r"^\| `([^`]+)` \| ", section(words).partition("| Option |")[2], re.MULTILINE)
    actions = [action for action in whole_commands()[words]._actions if action.dest != "help"]
    assert sorted(documented) == sorted(spelling(action) for action in actions)


@pytest.mark.parametrize("words", list(whole_commands()))
def test_every_default_in_help_is_told(words):
    for action in whole_commands()[words]._actions:
        help_text = (action.help or "") % {"default": action.default}
        for default in re.findall(r"\(([^()]+)\)$", help_text):
            row = next(
                row for row in section(words).splitlines() if row.startswith(f"| `{spelling(action)}`")
            )
            assert default.replace("`", "") in row.partition(" | ")[2].replace("`", "")


def test_every_exit_status_is_told():
    failures = {errors.FOUND_WRONG, errors.UNUSABLE, errors.MACHINE_UNABLE, errors.OUTPUT_FAILED}
    statuses = {errors.DONE, *failures, errors.INTERRUPTED, errors.READER_GONE}
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
    documented = [
        name
        for row in re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    fault = Fault(Verdict.CRASHED, "", 0, 0, "start", None, None, "", {}, "", None)
    record = [{"e": "table"}]
    file = FaultFile(
        {}, 1, "", "", "", Limits(), Clock(), FaultPolicy.STRICT, (), "", fault, False, (), None, record
    )
    assert sorted(documented) == sorted(json.loads(file.encoded()))
