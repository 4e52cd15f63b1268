"""Standings and the list of tournaments, from the platform itself."""

import json

import pytest

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
