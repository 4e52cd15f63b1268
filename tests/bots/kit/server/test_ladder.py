"""Ladders from the kit, on the platform itself: lists, tables, reasons, putting versions on and off."""

import datetime
import json

import pytest
from django.test import override_settings
from django.utils import timezone

from arena.jobs.ladders import ladders_advance
from arena.ladders.models import LadderSeason, Placement
from tests import factories
from tests.arena.ladders.ladders import USUAL, a_ladder, house, placed, round_open, round_play
from tests.arena.play import play_out
from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

pytestmark = pytest.mark.full


FOUR_BOARDS = USUAL._replace(boards=4)


@override_settings(LADDERS=FOUR_BOARDS)
def a_ladder_under_way():
    """With the house and Ben on it; four rounds of four boards counted."""
    found = a_ladder()
    house()
    placed(found, factories.ben(), factories.chie())
    for _ in range(4):
        round_play(found)
    return found


rows_of_the_ladder = committed_once(a_ladder_under_way)


@pytest.fixture
def ladder(rows_of_the_ladder, settings, aya):
    """A ladder under way, and Aya, who is not on it yet."""
    settings.LADDERS = FOUR_BOARDS
    return rows_of_the_ladder


def lines(out):
    return [" ".join(line.split()) for line in out.splitlines()]


def test_joined_and_left(run, ladder, aya):
    factories.a_version(factories.a_bot(aya, "kita"))
    status, out, err = run("ladder", "join", "kakeya4", "kita")
    assert (status, err) == (0, "")
    assert out == ("kita v1 is on the ladder kakeya4. Follow it: rensho ladder show kakeya4\n")
    assert "already" in run("ladder", "join", ladder.public_id, "kita")[2]
    status, out, err = run("ladder", "leave", f"https://rensho.example/ladders/{ladder.public_id}", "kita")
    assert (status, out, err) == (0, "kita v1 has left the ladder kakeya4.\n", "")
    assert Placement.objects.get(bot__name="kita").left_reason == "taken_off"
    assert (
        "'kita' is no bot of yours on kakeya4; there are: none"
        in run("ladder", "leave", "kakeya4", "kita")[2]
    )
    assert "'chess' is no ladder" in run("ladder", "join", "chess", "kita")[2]
    refused = run("ladder", "join", "kakeya4", "kita", "--season", "1999-Q1")
    assert (refused[0], "no season '1999-Q1'" in refused[2]) == (2, True)


def test_where_everybody_stands_and_why_they_met(run, ladder):
    status, out, err = run("ladder", "list", "--game", "kakeya")
    assert (status, err) == (0, "")
    head, row = lines(out)
    assert head == "id ladder state season ends rounds bots"
    assert row.startswith(f"{ladder.public_id} kakeya4 active {LadderSeason.objects.get().name} ")
    assert row.endswith(" 4 4")
    placed(ladder, factories.aya())
    _, out, _ = run("ladder", "show", "kakeya4")
    shown = lines(out)
    assert shown[0] == "kakeya4"
    assert "4 rounds" in shown[1]
    assert any("house" in line and "+0.000" in line for line in shown)
    assert "house greedy, which stands at 0" in " ".join(shown)
    assert any(line.startswith("- ") and "aya" in line for line in shown)
    assert len(json.loads(run("ladder", "show", "kakeya4", "--json")[1])["lines"]) == 4
    _, out, _ = run("ladder", "rounds", "kakeya4", "--limit", "1")
    assert "Round 4" in out
    assert "where the order is least sure" in out
    played = json.loads(run("ladder", "rounds", "kakeya4", "--json")[1])
    assert [each["number"] for each in played] == [4, 3, 2, 1]


def test_the_final_table_of_a_season(run, ladder):
    over = timezone.now() - datetime.timedelta(seconds=1)
    LadderSeason.objects.update(name="2001-Q1", begins_at=over - datetime.timedelta(days=90), ends_at=over)
    ladders_advance()
    play_out(round_open(ladder).tournament)
    status, out, err = run("ladder", "show", "kakeya4", "--season", "2001-Q1")
    assert (status, err) == (0, "")
    assert lines(out)[0] == "kakeya4 2001-Q1"
    assert sum("ben" in line or "chie" in line for line in lines(out)) == 2
    assert "there are: " in run("ladder", "show", "kakeya4", "--season", "1999-Q1")[2]
