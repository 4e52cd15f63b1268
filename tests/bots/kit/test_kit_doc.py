"""docs/kit.md against the commands there are, their exit statuses, keys and files."""

import json
import re
from pathlib import Path

from bots.kit import cli, errors
from bots.kit.replay.step import KEYS
from engine import game_named
from referee.contract import Clock, Fault, FaultPolicy, Limits, Verdict
from referee.reproduce import FaultFile
from tests.bots.kit.reference import page_text

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "kit.md").read_text()


def part(heading):
    """What the page says under a heading."""
    return re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)[1]


def test_the_reference_is_what_the_commands_say():
    assert page_text() == DOCUMENT, "run: python -m tests.bots.kit.reference"
    assert re.findall(r"^### rensho (\w+)$", DOCUMENT, re.MULTILINE) == list(cli.COMMANDS)


def test_every_exit_status_is_told():
    failures = {errors.CHECK_FAILED, errors.INVALID_INPUT, errors.ENVIRONMENT_FAILURE, errors.OUTPUT_FAILED}
    statuses = {errors.DONE, *failures, errors.INTERRUPTED, errors.BROKEN_PIPE}
    table = part("Exit status")
    assert {int(status) for status in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == statuses


def test_every_preset_is_named():
    for key in ("kakeya", "kakkuri"):
        for preset in game_named(key).presets:
            assert f"`{preset}`" in part("On your machine")


def test_every_key_is_told():
    keys = part("Replays").partition("| Key |")[2]
    for letter in filter(str.isalpha, (key for key in KEYS if len(key) == 1)):
        assert f"`{letter}`" in keys or letter in "hl", letter


def test_every_field_of_a_fault_file_is_told():
    table = part("Faults").partition("| Field |")[2]
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
