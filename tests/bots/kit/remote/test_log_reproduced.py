"""``rensho reproduce`` with the log of a table that ``rensho connect`` played."""

import json

import pytest

from bots.kit.errors import CHECK_FAILED, INVALID_INPUT
from tests.bots.kit.remote.conftest import FIRST_LEGAL
from tests.bots.kit.remote.site import Table

RECORDS = FIRST_LEGAL.replace('"ready"}', '"ready","events":true,"skip_forced":true}').replace(
    "    message =", "    open('heard', 'a').write(line)\n    message ="
)
LAST_LEGAL = FIRST_LEGAL.replace("[0]", "[-1]")
ENDS = FIRST_LEGAL.replace('"request":\n', '"request":\n        raise SystemExit("out of memory")\n')
ILLEGAL = FIRST_LEGAL.replace('message["legal"][0]', '"XX"')


@pytest.fixture
def log(rensho, site, logged_in, bot):
    site.waiting = [Table("t1")]
    status, _, err = rensho("connect", bot(), "--ladder", "kakeya4", "--stop-after", 1)
    assert status == 0, err
    return logged_in / "mine" / "t1.ndjson"


def test_the_same_bot_gets_the_same_messages_and_answers_as_before(rensho, log, bot):
    folder = bot(RECORDS, name="records")
    shown = json.loads(rensho.prints("reproduce", log, folder, "--json"))
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    decisions = [line for line in logged if line["type"] == "decision"]
    assert [each["action"] for each in shown["decisions"]] == [line["answer"]["action"] for line in decisions]
    assert shown["failure"] is None
    heard = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
    assert [message for message in heard if message["type"] == "event"] == [
        event for line in decisions for event in line["events"]
    ]
    choices = [line["request"] for line in decisions if len(line["request"]["legal"]) > 1]
    assert [message for message in heard if message["type"] == "request"] == choices
    assert json.loads(rensho.prints("reproduce", log, "--request")) == decisions[-1]["request"]


@pytest.mark.parametrize(
    ("source", "status", "text"),
    [
        (LAST_LEGAL, 0, "instead of"),
        (ILLEGAL, CHECK_FAILED, "illegal"),
        (ENDS, CHECK_FAILED, "out of memory"),
    ],
)
def test_another_bot_answers_differently_or_fails(rensho, log, bot, source, status, text):
    found, out, _ = rensho("reproduce", log, bot(source, name="other"))
    assert (found, text in out) == (status, True)


@pytest.mark.parametrize("end", ["", '{"type": "decision", "request": 1}\n', "\x1b[31m\n"])
def test_a_log_without_a_decision_and_a_broken_one_are_refused(rensho, tmp_path, bot, end):
    broken = tmp_path / "broken.ndjson"
    broken.write_text('{"type": "table", "table": "t1"}\n' + end)
    found, _, err = rensho("reproduce", broken, bot())
    assert (found, broken.name in err, "\x1b" in err) == (INVALID_INPUT, True, False)
