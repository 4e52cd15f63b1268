"""Recurring cups from the kit, on the platform itself."""

import json
import os

import pytest

from arena.competition.models import Series, Subscription
from bots.kit.client import Client
from bots.kit.server.season import differences
from tests import factories
from tests.arena.standings.cups import a_cup, editions

pytestmark = pytest.mark.full

DAILY = (
    "series", "new", "--name", "Evening cup", "--every", "daily", "--at", "20:00",
    "--preset", "kakeya4", "--round-robin", "--boards", 4, "--max-entries", 8,
)  # fmt: skip


@pytest.fixture
def cup(run, odo):
    """A daily series of Odo's."""
    assert run(*DAILY)[0] == 0
    return Series.objects.get()


class TestMade:
    def test_from_options(self, run, odo):
        status, out, err = run(*DAILY)
        assert (status, err) == (0, "")
        series = Series.objects.get()
        assert series.template["boards_per_round"] == 4
        assert [stage["format"] for stage in series.template["stages"]] == ["round_robin"]
        lines = [" ".join(line.split()) for line in out.splitlines()]
        assert lines[0] == "Evening cup: active"
        assert "when daily, 20:00 UTC" in lines
        assert any(line.startswith("next ") for line in lines)
        assert lines[-1].startswith("You may now: ")

    def test_from_a_file_with_options_before_it(self, run, odo, tmp_path):
        path = tmp_path / "cup.toml"
        path.write_text(
            'name = "A"\nevery = "weekly"\nweekday = "wednesday"\nat = "18:00"\n\n'
            '[template]\npreset = "kakeya4"\nboards_per_round = 2\n'
        )
        status, out, _ = run("series", "new", path, "--name", "B", "--boards", 6, "--json")
        assert status == 0
        made = json.loads(out)
        assert (made["name"], made["weekday"], made["template"]["boards_per_round"]) == ("B", "wednesday", 6)

    def test_a_dry_run_makes_nothing(self, run, odo):
        status, out, _ = run(*DAILY, "--dry-run")
        assert status == 0
        assert "With 8 entries, at most:" in out
        assert not Series.objects.exists()

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--preset", "kakeya4"), "give --name and --every and --at"),
            (("--name", "A", "--every", "daily", "--at", "20:00"), "give --preset"),
            (("--set", "name=A"), "an edition has no field 'name'"),
        ],
    )
    def test_what_is_missing_is_named_before_a_server_is_asked(self, run, words, said):
        status, _, err = run("series", "new", *words)
        assert (status, err.count("\n")) == (2, 1)
        assert said in err

    def test_a_time_that_is_none_is_named_by_the_server(self, run, odo):
        words = ("--name", "A", "--every", "daily", "--at", "25:00", "--preset", "kakeya4")
        status, _, err = run("series", "new", *words)
        assert (status, err.count("\n")) == (2, 1)
        assert "at: " in err


class TestRun:
    def test_a_change_keeps_what_it_does_not_name(self, run, cup):
        before = dict(cup.template)
        status, out, _ = run("series", "change", cup.public_id, "--at", "21:00", "--max-entries", 6)
        assert status == 0
        assert "daily, 21:00 UTC" in out
        cup.refresh_from_db()
        assert cup.template == {**before, "max_entries": 6}

    def test_nothing_to_change(self, run):
        assert "say what to change" in run("series", "change", "e")[2]

    def test_pause_resume_end(self, run, cup):
        assert run("series", "pause", cup.public_id, "--reason", "summer")[1] == "Evening cup: paused\n"
        out = run("series", "resume", cup.public_id, "--dry-run")[1]
        assert out == "Evening cup: Nothing was changed. It would be active\n"
        assert run("series", "resume", cup.public_id)[1] == "Evening cup: active\n"
        assert run("series", "end", cup.public_id)[1] == "Evening cup: ended\n"
        status, _, err = run("series", "resume", cup.public_id)
        assert (status, err.count("\n")) == (2, 1)

    def test_listed_and_shown(self, run, cup):
        assert cup.public_id in run("series", "list", "--state", "active")[1]
        assert run("series", "list", "--state", "ended")[1] == "No series.\n"
        assert json.loads(run("series", "show", cup.public_id, "--json")[1])["name"] == "Evening cup"
        assert run("series", "show", f"https://rensho.example/series/{cup.public_id}/")[0] == 0


class TestJoined:
    def test_a_bot_is_entered_in_every_edition_until_it_leaves(self, run, cup, logged_in):
        aya = logged_in(factories.aya())
        factories.a_version(factories.a_bot(aya, "kita", game="kakeya"))
        status, out, err = run("series", "join", cup.public_id, "kita")
        assert (status, err) == (0, "")
        assert out.startswith("kita will be entered in every edition")
        assert Subscription.objects.get().bot.name == "kita"
        assert "kita" in run("series", "bots", cup.public_id)[1]
        assert run("series", "leave", cup.public_id, "kita")[0] == 0
        assert not Subscription.objects.exists()
        assert run("series", "bots", cup.public_id)[1].startswith("No bot")

    def test_a_bot_of_nobody_lists_one_s_own(self, run, cup, logged_in):
        factories.a_bot(logged_in(factories.aya()), "kita")
        status, _, err = run("series", "join", cup.public_id, "oni")
        assert (status, err.count("\n")) == (2, 1)
        assert "'oni' is no bot of yours; there are: kita" in err


def test_the_table_of_a_season_is_derived_again(run, odo):
    series = a_cup()
    for words in ((), ("--check",)):
        status, out, err = run("series", "table", series.public_id, *words)
        assert (status, err) == (0, "")
        assert out == "There is no season yet: no event is over. The table comes with the first one.\n"
    held = editions(series, 2)
    status, out, err = run("series", "table", series.public_id)
    assert (status, err) == (0, "")
    assert out.startswith("2026-Q3: 2 events, the best 2 count\n")
    assert out.count("bot of ") == 3
    status, out, _ = run("series", "table", series.public_id, "--check", "--season", "2026-Q3")
    assert (status, out) == (
        0,
        "2026-Q3, 2 events: places, points and table follow from the final standings.\n",
    )
    season = json.loads(run("series", "table", series.public_id, "--json")[1])
    with Client(os.environ["RENSHO_URL"]) as client:
        standings = {event.public_id: client.standings(event.public_id) for event in held}
    assert differences(season, standings) == []
    season["rows"][0]["points"] = "21"
    season["events"][1]["placed"][0]["place"] = 2
    found = differences(season, standings)
    assert len(found) == 2
    assert "place and points (2, '10'), not (1, '10')" in found[0]
    assert "with 21 points, not" in found[1]
    status, _, err = run("series", "table", series.public_id, "--season", "1999-Q1")
    assert status == 2
    assert "its seasons: 2026-Q3" in err
