"""Standings, the list of tournaments, and the logs of one's own seats, from the platform itself."""

import json

import pytest

from arena.matches.models import Table
from bots.kit.cli import main
from tests import factories
from tests.arena.play import begun, play_out
from tests.bots.kit.server.watched import under_way
from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

event = committed_once(lambda: play_out(under_way()))
three = committed_once(
    lambda: play_out(begun(3, stages=[{"format": "round_robin", "options": {"cycles": 1}}]))
)


@pytest.fixture
def public(site, monkeypatch):
    """Nobody in particular, who knows the server."""
    monkeypatch.setenv("RENSHO_URL", site)


def test_the_standings_show_what_orders_them_and_what_decided(run, event, public):
    status, out, _ = run("standings", event.public_id)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "Spring cup: final, kakeya4, 2 entries"
    assert lines[1].split()[:3] == ["bot", "player", "points"]
    assert [line.split()[0] for line in lines[2:]] == ["1", "2"]
    assert all(len(line) <= 80 for line in lines)


def test_standings_as_json_are_exact(run, event, public):
    _, out, _ = run("standings", event.public_id, "--json")
    body = json.loads(out)
    assert body["tournament"]["id"] == event.public_id
    assert "board_score" in body["stages"][0]["rows"][0]["values"]


def test_rows_that_are_too_many_for_one_answer_are_all_shown(run, three, public, monkeypatch):
    monkeypatch.setattr("arena.api.base.parts.ANSWER_BYTES", 1)
    (stage,) = json.loads(run("standings", three.public_id, "--json")[1])["stages"]
    assert [row["rank"] for row in stage["rows"]] == [1, 2, 3]
    assert stage["next_first"] is None


def test_before_the_first_round_is_closed_there_are_none(run, public):
    event = under_way()
    status, out, _ = run("standings", event.public_id)
    assert status == 0
    assert "No standings yet" in out


def test_without_a_name_the_tournaments_are_listed(run, public):
    assert run("standings")[1].endswith(" has no tournament yet.\n")
    event = under_way()
    _, out, _ = run("standings")
    assert out.splitlines()[1].split() == [event.public_id, "Spring", "cup", "kakeya4", "running", "2"]
    assert json.loads(run("standings", "--json")[1])[0]["id"] == event.public_id


@pytest.fixture
def table(event):
    """A table of the event that is over."""
    return Table.objects.filter(fixture__board_set__round__stage__tournament=event)[0]


def test_own_logs_are_shown_with_the_verdict_and_the_record_is_saved(run, table, aya, tmp_path):
    path = tmp_path / "table.ndjson"
    status, out, err = run("logs", table.public_id, "--record", path)
    assert status == 0
    assert out.count(": OK\n") + out.count(", OK\n") == 2
    assert out.count("(it wrote nothing)") == 2
    assert f"rensho replay {path}" in err
    assert main(["replay", str(path), "--board", "1"]) == 0


def test_logs_as_json_name_seat_and_verdict(run, table, aya):
    _, out, _ = run("logs", table.public_id, "--json")
    body = json.loads(out)
    assert [seat["verdict"] for seat in body["seats"]] == ["OK", "OK"]
    assert {seat["player"] for seat in body["seats"]} == {"aya"}


def test_the_logs_of_others_stay_theirs(run, table, aya):
    other = next(seat.seat for seat in table.seats.all() if seat.entry.player.user_id != aya.pk)
    status, out, err = run("logs", table.public_id, "--seat", other)
    assert (status, out) == (2, "")
    assert f"seat {other} of table {table.public_id} is not yours" in err
    status, _, err = run("logs", table.public_id, "--seat", 9)
    assert status == 2
    assert "seats 1 to 4, no seat 9" in err


def test_who_sits_nowhere_is_told_so(run, table, site, monkeypatch):
    monkeypatch.setenv("RENSHO_URL", site)
    monkeypatch.setenv("RENSHO_TOKEN", factories.a_token(factories.chie()))
    status, _, err = run("logs", table.public_id)
    assert status == 2
    assert f"no seat of table {table.public_id} is yours" in err


def test_whoever_sits_nowhere_may_have_the_record(run, table, public, tmp_path):
    path = tmp_path / "table.ndjson"
    status, out, _ = run("logs", table.public_id, "--record", path)
    assert (status, out) == (0, "")
    assert path.read_bytes().startswith(b'{"bots"')


def test_a_sealed_table_says_when_to_come_back(run, aya):
    event = under_way()
    table = Table.objects.filter(fixture__board_set__round__stage__tournament=event)[0]
    for argv in ([], ["--seat", 1], ["--record", "/nowhere"]):
        status, out, err = run("logs", table.public_id, *argv)
        assert (status, out) == (2, "")
        assert "is sealed until every table of its round is done" in err or "is not yours" in err


def test_a_table_nobody_knows_is_refused(run, aya):
    status, _, err = run("logs", "nosuch")
    assert status == 2
    assert "nosuch" in err


class TestThen:
    def test_after_a_round_and_at_a_moment(self, run, three, public):
        event = three
        now = json.loads(run("standings", event.public_id, "--json")[1])["stages"]
        after = run("standings", event.public_id, "--as-of", 1, "--json")
        then = json.loads(after[1])["stages"]
        assert after[0] == 0
        assert [len(stage["rows"]) for stage in (*now, *then)] == [3, 3]
        assert now[0]["rows"] != then[0]["rows"]
        last = json.loads(run("standings", event.public_id, "--as-of", 3, "--stage", 1, "--json")[1])[
            "stages"
        ]
        assert last[0]["rows"] == now[0]["rows"]
        out = run("standings", event.public_id, "--as-of", "2100-01-01T00:00Z")[1]
        assert out.splitlines()[1] == "As of 2100-01-01T00:00Z"

    @pytest.mark.parametrize("when", ["yesterday", "99", "-1"])
    def test_a_time_there_was_not_is_one_line(self, run, event, public, when):
        status, out, err = run("standings", event.public_id, f"--as-of={when}")
        assert (status, out, err.count("\n")) == (2, "", 1)

    def test_it_needs_a_tournament(self, run, public):
        assert run("standings", "--stage", 1)[0] == 2


def test_groups_stand_one_after_the_other_and_then_together(run, public):
    stages = [
        {"format": "groups", "options": {"groups": 2}},
        {"format": "single_elimination", "qualify": 2},
    ]
    event = play_out(begun(4, stages=stages))
    status, out, _ = run("standings", event.public_id, "--stage", 1)
    lines = out.splitlines()
    heads = [line for line in lines if line in ("Group 1", "Group 2", "All groups")]
    assert (status, heads) == (0, ["Group 1", "Group 2", "All groups"])
