"""Standings and the list of tournaments, from the platform itself."""

import pytest

from arena.api.base.parts import rows_part
from tests.arena.play import begun, play_out
from tests.bots.kit.server.watched import under_way
from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

event = committed_once(lambda: play_out(under_way()))
three = committed_once(
    lambda: play_out(begun(3, stages=[{"format": "round_robin", "options": {"cycles": 1}}]))
)


def test_the_standings_show_what_orders_them_and_what_decided(run, event, public):
    lines = run.prints("standings", event.public_id).splitlines()
    assert all(text in lines[0] for text in ("Spring cup", "final", "kakeya4"))
    assert [line.split()[0] for line in lines[1:]] == ["bot", "1", "2"]
    assert all(len(line) <= 80 for line in lines)
    body = run.json("standings", event.public_id)
    assert body["tournament"]["id"] == event.public_id
    assert "board_score" in body["stages"][0]["rows"][0]["values"]


def test_answers_in_parts_are_whole(run, three, public, monkeypatch):
    monkeypatch.setattr("arena.api.base.parts.MAX_RESPONSE_BYTES", 1)
    # The default of ``room`` was read when the function was defined.
    monkeypatch.setattr(rows_part, "__defaults__", (1,))
    (stage,) = run.json("standings", three.public_id)["stages"]
    assert ([row["rank"] for row in stage["rows"]], stage["next_first"]) == ([1, 2, 3], None)
    table = run.json("tournaments", "crosstable", three.public_id)
    entries = {row["entry"]: {cell["entry"] for cell in row["against"]} for row in table["rows"]}
    assert sorted(entries) == sorted(entry.public_id for entry in three.entries.all())
    assert all(others == {*entries} - {entry} for entry, others in entries.items())
    assert table["next_first"] is None


def test_without_a_name_the_tournaments_are_listed(run, public):
    assert run.json("standings") == []
    assert public in run.prints("standings")
    event = under_way()
    assert [stage["rows"] for stage in run.json("standings", event.public_id)["stages"]] == [[]]
    assert event.public_id not in run.prints("standings", event.public_id)
    assert event.public_id in run.prints("standings")
    assert run.json("standings")[0]["id"] == event.public_id


def test_after_a_round_and_at_a_moment(run, three, public):
    now, then, last = (
        run.json("standings", three.public_id, *words)["stages"]
        for words in ((), ("--as-of", 1), ("--as-of", 3, "--stage", 1))
    )
    assert [len(stage["rows"]) for stage in (*now, *then)] == [3, 3]
    assert now[0]["rows"] != then[0]["rows"]
    assert last[0]["rows"] == now[0]["rows"]
    moment = "2100-01-01T00:00Z"
    assert moment in run.prints("standings", three.public_id, "--as-of", moment).splitlines()[1]
    run.refuses("standings", "--stage", 1)


@pytest.mark.parametrize("when", ["yesterday", "99", "-1"])
def test_a_time_there_was_not_is_one_line(run, event, public, when):
    run.refuses("standings", event.public_id, f"--as-of={when}")


def test_groups_stand_one_after_the_other_and_then_together(run, public):
    groups = {"format": "groups", "options": {"groups": 2}}
    event = play_out(begun(4, stages=[groups, {"format": "single_elimination", "qualify": 2}]))
    lines = run.prints("standings", event.public_id, "--stage", 1).splitlines()
    numbers = [line.split()[0] for line in lines if line[:1].isdigit() or line[:2] == " 1"]
    assert len([line for line in lines if line in ("Group 1", "Group 2")]) == 2
    assert len(numbers) >= 3
