"""``rensho connect``: tables from their beginning to their end, and what the network and bots do wrong."""

import json
import os
import signal

import pytest

from bots.kit.client import remote as remote_calls
from bots.kit.errors import CHECK_FAILED, ENVIRONMENT_FAILURE, INTERRUPTED
from bots.kit.remote import connection as connections
from tests.bots.kit.remote.conftest import FIRST_LEGAL
from tests.bots.kit.remote.site import Table

CRASHES_ONCE = FIRST_LEGAL.replace(
    "        print(json.dumps",
    "        import pathlib\n"
    "        if not pathlib.Path('crashed').exists():\n"
    "            pathlib.Path('crashed').touch()\n"
    "            raise SystemExit('out of memory')\n"
    "        print(json.dumps",
)
CRASHES = FIRST_LEGAL.replace(
    "        print(json.dumps", "        raise SystemExit(3)\n        print(json.dumps"
)
WANTS_EVENTS = FIRST_LEGAL.replace('"ready"}', '"ready","events":true,"skip_forced":true}').replace(
    "    elif",
    "    elif message['type'] == 'event':\n        sys.stderr.write(line)\n    elif",
    1,
)


def connected(rensho, folder, *options, status=0):
    """Run the command until its tables are over; return its events."""
    found, out, err = rensho("connect", folder, "--ladder", "kakeya4", "--json", *options)
    assert found == status, err
    return [json.loads(line) for line in out.splitlines()], err


def decisions_of(folder, table):
    lines = [json.loads(line) for line in (folder / "mine" / f"{table}.ndjson").read_text().splitlines()]
    return [line for line in lines if line["type"] == "decision"]


def test_a_bot_is_registered_and_plays(rensho, site, logged_in, bot):
    site.waiting = [Table("t1"), Table("t2", seed="other")]
    events, err = connected(rensho, bot(), "--stop-after", 2, "--tables", 2)
    assert err == ""
    assert site.bots == [{"id": "b1", "retired_at": None, "name": "mine", "game": "kakeya"}]
    assert [version["label"] for version in site.versions] == [""]
    assert {name: site.queries[0][name] for name in ("tables", "ladder", "version")} == {
        "tables": "2",
        "ladder": "kakeya4",
        "version": "v1",
    }
    assert "ladder" not in site.queries[-1]
    over = {event["table"]: event for event in events if event["type"] == "over"}
    assert over.keys() == {"t1", "t2"}
    assert (over["t1"]["decisions"], over["t1"]["score"]) == (4, 1.5)
    log = decisions_of(logged_in, "t1")
    assert [line["answer"]["action"] for line in log] == site.over["t1"].played
    assert [line["request"]["id"] for line in log] == list(site.over["t1"].answers)


def test_a_second_run_plays_as_the_same_version_unless_a_new_one_is_wanted(rensho, site, logged_in, bot):
    for options in ((), (), ("--new-version", "larger net")):
        site.waiting = [Table(f"t{len(site.over)}", decisions=1)]
        connected(rensho, bot(), "--stop-after", 1, *options)
    assert [version["label"] for version in site.versions] == ["", "larger net"]
    assert len(site.bots) == 1
    assert {query["version"] for query in site.queries[:3]} == {"v1"}
    assert site.queries[-1]["version"] == "v2"


@pytest.mark.parametrize("fault", ["lose", "late", "drop", 503])
def test_an_answer_is_sent_until_it_is_accepted_and_counts_once(rensho, site, logged_in, bot, fault):
    site.waiting, site.answer_faults = [Table("t1")], [fault]
    events, _ = connected(rensho, bot(), "--stop-after", 1)
    answers = [answer for _, answer in site.posted]
    assert len(site.over["t1"].played) == 4
    assert len(answers) == 4 + (fault == "late")
    assert answers[0] == answers[fault == "late"]
    assert events[-1] == {**events[-1], "decisions": 4, "played_by_referee": 0}
    assert [line["outcome"] for line in decisions_of(logged_in, "t1")] == ["accepted"] * 4


def test_a_score_may_come_after_the_end_of_a_table(rensho, site, logged_in, bot):
    site.hides_results = True
    site.waiting = [Table("t1"), Table("t2")]
    events, _ = connected(rensho, bot(), "--stop-after", 2)
    over = next(event for event in events if event["type"] == "over")
    assert (over["table"], over["state"], over["score"]) == ("t1", "finished", 1.5)
    last = json.loads((logged_in / "mine" / "t1.ndjson").read_text().splitlines()[-1])
    assert (last["type"], last["state"], last["score"]) == ("over", "finished", 1.5)


def test_a_missed_end_of_a_table_is_noticed(rensho, site, logged_in, bot, monkeypatch):
    monkeypatch.setattr(connections, "QUIET_S", 0.2)
    site.waiting = [Table("t1", decisions=1)]
    site.misses_end = True
    events, _ = connected(rensho, bot(), "--stop-after", 1)
    assert next(event for event in events if event["type"] == "over")["score"] == 1.5


def test_a_refused_answer_is_not_repeated(rensho, site, logged_in, bot, during):
    def play_on():
        site.until(lambda: not site.answer_faults)
        site.play_for("t1")

    site.waiting, site.answer_faults = [Table("t1")], [(409, "request_settled")]
    during(play_on)
    events, _ = connected(rensho, bot(), "--stop-after", 1)
    assert len(site.posted) == 3
    assert decisions_of(logged_in, "t1")[0]["outcome"] == "request_settled"
    assert events[-1]["played_by_referee"] == 1


def test_a_broken_stream_is_opened_again_and_no_request_is_asked_twice(rensho, site, logged_in, bot, during):
    def breaking():
        for count in (1, 2, 3):
            site.until(lambda count=count: len(site.posted) >= count)
            site.drop_streams()
            site.until(lambda count=count: len(site.queries) > count)

    site.waiting = [Table("t1", decisions=8)]
    site.duplicates = True
    during(breaking)
    events, _ = connected(rensho, bot(), "--stop-after", 1)
    ids = [answer["id"] for _, answer in site.posted]
    assert len(ids) == len(set(ids)) == 8
    assert [event["type"] for event in events].count("disconnected") >= 1
    assert [line["by"] for line in decisions_of(logged_in, "t1")] == ["bot"] * 8


def test_a_bot_that_thinks_while_the_stream_breaks_is_asked_once(rensho, site, logged_in, bot, during):
    def break_the_stream():
        site.until(lambda: (folder / "asked").exists())
        site.drop_streams()
        site.until(lambda: len(site.queries) == 2)
        (folder / "go").touch()

    slow = FIRST_LEGAL.replace(
        "        print(json.dumps",
        "        with open('asked', 'a') as file: file.write(message['id'] + '\\n')\n"
        "        while not os.path.exists('go'): time.sleep(0.02)\n"
        "        print(json.dumps",
    ).replace("import json,", "import json, os, time,")
    folder = bot(slow)
    site.waiting = [Table("t1", decisions=2)]
    during(break_the_stream)
    connected(rensho, folder, "--stop-after", 1)
    assert (folder / "asked").read_text().split() == [answer["id"] for _, answer in site.posted]


def test_a_table_that_ended_during_an_outage_is_over(rensho, site, logged_in, bot, during):
    def end_the_table():
        site.until(lambda: len(site.posted) == 1)
        with site.lock:
            site.stream_faults = [(503, {"code": "unavailable"})]
            site.drop_streams()
            site.over["t1"] = site.tables.pop("t1")

    silent = FIRST_LEGAL.replace(
        "        print(json.dumps",
        "        if len(sys.argv) == 1: sys.argv.append(1)\n        else: continue\n        print(json.dumps",
    )
    site.waiting = [Table("t1")]
    during(end_the_table)
    events, _ = connected(rensho, bot(silent), "--stop-after", 1)
    assert next(event for event in events if event["type"] == "over")["score"] == 1.5


def test_a_silent_stream_is_dead(rensho, site, logged_in, bot, monkeypatch, during):
    def speak_again():
        site.until(lambda: len(site.queries) == 2)
        site.is_silent = False
        site.drop_streams()

    monkeypatch.setattr(remote_calls, "SILENCE_S", 0.3)
    site.is_silent, site.waiting = True, [Table("t1")]
    during(speak_again)
    events, _ = connected(rensho, bot(), "--stop-after", 1)
    assert events[-1]["decisions"] == 4


@pytest.mark.parametrize(
    "line",
    [{"type": "replaced"}, {"type": "paused", "reason": {"code": "remote_disconnects", "text": "Why."}}],
)
def test_a_stream_that_the_site_ends_ends_the_command(rensho, site, logged_in, bot, during, line):
    def end_the_stream():
        site.until(lambda: site.streams)
        site.send(line)

    during(end_the_stream)
    _, err = connected(rensho, bot(), status=CHECK_FAILED)
    assert ("--new-version" in err) == (line["type"] == "replaced")
    assert ("Why" in err) == (line["type"] == "paused")


def test_a_sign_of_life_notices_another_client(rensho, site, logged_in, bot):
    site.alive_fault = (409, {"code": "stream_replaced"})
    connected(rensho, bot(), status=CHECK_FAILED)
    assert site.alive[0] == {"version": "v1", "generation": 1}


def test_a_crashed_bot_is_started_again_for_the_same_request(rensho, site, logged_in, bot):
    site.waiting = [Table("t1")]
    events, _ = connected(rensho, bot(CRASHES_ONCE), "--stop-after", 1)
    assert events[-1] == {**events[-1], "decisions": 4, "played_by_referee": 0}
    assert any("out of memory" in event.get("text", "") for event in events)


def test_the_referee_plays_for_a_bot_that_crashes_twice(rensho, site, logged_in, bot):
    site.waiting = [Table("t1", decisions=2)]
    events, _ = connected(rensho, bot(CRASHES), "--stop-after", 1)
    assert events[-1]["played_by_referee"] == 2
    assert [answer["action"] for _, answer in site.posted] == ["", ""]
    assert "exit status 3" in site.posted[0][1]["debug"]


def test_events_are_passed_and_forced_requests_answered_here(rensho, site, logged_in, bot):
    site.waiting = [Table("t1", decisions=14)]
    connected(rensho, bot(WANTS_EVENTS), "--stop-after", 1)
    log = decisions_of(logged_in, "t1")
    is_forced = [len(line["request"]["legal"]) == 1 for line in log]
    assert any(is_forced)
    assert [line["by"] == "rensho" for line in log] == is_forced
    heard = (logged_in / "mine" / "t1.stderr").read_text().splitlines()
    last_asked = max(n for n, forced in enumerate(is_forced) if not forced)
    assert [json.loads(line)["n"] for line in heard] == list(range(1, last_asked + 2))


def test_a_bot_that_writes_remarks_to_its_output_still_plays(rensho, site, logged_in, bot):
    site.waiting = [Table("t1")]
    chatty = FIRST_LEGAL.replace(
        "        print(json.dumps", "        print('hm\\x1b[2J')\n        print(json.dumps"
    )
    events, _ = connected(rensho, bot(chatty), "--stop-after", 1)
    assert events[-1]["decisions"] == 4
    assert [event["type"] for event in events].count("note") == 1


@pytest.mark.parametrize(
    "remark",
    ['"debug": "x" * 5000', '"policy": {"PASS": float("nan")}', '"debug": "\\ud800"'],
)
def test_remarks_that_cannot_be_sent_do_not_prevent_an_answer(rensho, site, logged_in, bot, remark):
    site.waiting = [Table("t1", decisions=1)]
    source = FIRST_LEGAL.replace('message["legal"][0]}', f'message["legal"][0], {remark}}}')
    events, _ = connected(rensho, bot(source), "--stop-after", 1)
    assert events[-1]["decisions"] == 1
    assert site.posted[-1][1].keys() == {"id", "action"}


def test_an_answer_that_the_server_cannot_read_is_sent_without_remarks(rensho, site, logged_in, bot):
    site.waiting, site.answer_faults = [Table("t1", decisions=1)], [(400, "malformed_answer")]
    source = FIRST_LEGAL.replace('message["legal"][0]}', 'message["legal"][0], "debug": "\\0"}')
    events, _ = connected(rensho, bot(source), "--stop-after", 1)
    assert events[-1]["decisions"] == 1
    assert site.posted[-1][1].keys() == {"id", "action"}


def test_a_second_interrupt_leaves_the_tables(rensho, site, logged_in, bot, during):
    def interrupt_twice():
        for queries in (1, 2):
            site.until(lambda: (folder / "asked").exists())
            site.until(lambda queries=queries: len(site.queries) == queries)
            os.kill(os.getpid(), signal.SIGINT)

    silent = FIRST_LEGAL.replace(
        "        print(json.dumps", "        open('asked', 'w').close()\n        0 and print(json.dumps"
    )
    folder = bot(silent)
    site.waiting = [Table("t1")]
    during(interrupt_twice)
    # A shell that starts the tests in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status, _, err = rensho("connect", folder, "--ladder", "kakeya4")
    finally:
        signal.signal(signal.SIGINT, before)
    assert status == INTERRUPTED
    assert "left 1 table" in err
    assert "ladder" not in site.queries[1]


SHARED = """\
import json, sys

waiting, seen = [], set()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "table": message["table"]}), flush=True)
    elif message["type"] == "request":
        waiting.append(message)
        seen.add(message["table"])
        if len(waiting) == 2 or "over" in seen:
            for each in reversed(waiting):
                print(json.dumps({"id": each["id"], "action": each["legal"][-1]}), flush=True)
            waiting = []
    elif message["type"] == "bye":
        seen.add("over")
        for each in waiting:
            print(json.dumps({"id": each["id"], "action": each["legal"][-1]}), flush=True)
        waiting = []
"""


def test_a_shared_bot_answers_several_tables_at_once(rensho, site, logged_in, bot):
    site.waiting = [Table("t1"), Table("t2", seed="other")]
    folder = bot(SHARED, 'preset = "kakeya4"\nshared = true')
    connected(rensho, folder, "--stop-after", 2, "--tables", 2)
    assert [len(table.played) for table in site.over.values()] == [4, 4]
    # Both tables are asked before either answer is sent.
    assert {table for table, _ in site.posted[:2]} == {"t1", "t2"}


def test_a_bot_of_an_uploaded_kind_plays_too(rensho, site, logged_in, tmp_path):
    (tmp_path / "lone.py").write_text(FIRST_LEGAL)
    site.waiting = [Table("t1", decisions=1)]
    connected(rensho, tmp_path / "lone.py", "--stop-after", 1)
    assert site.bots[0]["name"] == "lone"
    assert len(site.over["t1"].played) == 1


def test_errors_before_the_connection_name_the_remedy(rensho, site, logged_in, bot, tmp_path, monkeypatch):
    rensho.refuses("connect", tmp_path / "nothing", names=str(tmp_path / "nothing"))
    empty = tmp_path / "empty"
    empty.mkdir()
    rensho.refuses("connect", empty, names="remote.toml")
    rensho.refuses("connect", bot(), "--ladder", "kakkuri", names=("kakkuri", "kakeya4"))
    rensho.refuses("connect", bot(), "--tables", 3, names="--tables 3")
    rensho.refuses("connect", bot(manifest=""), names="--ladder")
    missing = bot(name="missing")
    (missing / "remote.toml").write_text('name = "m"\npreset = "kakeya4"\ncommand = ["no-such-julia"]\n')
    rensho.refuses("connect", missing, names="no-such-julia", status=ENVIRONMENT_FAILURE)
    broken = bot("import nothing_of_this_name\n", name="broken")
    rensho.refuses("connect", broken, names="nothing_of_this_name", status=CHECK_FAILED)
    site.bots = [{"id": "b1", "retired_at": None, "name": "Mine", "game": "kakkuri"}]
    rensho.refuses("connect", bot(), names=("Mine", "--name"))
    site.is_old = True
    rensho.refuses("connect", bot(), names=site.url, status=ENVIRONMENT_FAILURE)
    site.scopes = ["read"]
    rensho.refuses("connect", bot(), names=("bots:connect", "/me/tokens"))
    monkeypatch.delenv("RENSHO_TOKEN")
    rensho.refuses("connect", bot(), names="rensho login")
    assert site.versions == []
