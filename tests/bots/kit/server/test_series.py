"""Recurring cups from the kit, on the platform itself."""

import os

import pytest

from arena.competition.models import Series, Subscription
from bots.kit.client import Client
from bots.kit.server.arguments import NOTHING_CREATED
from bots.kit.server.season import season_differences
from tests import factories
from tests.arena.standings.cups import a_cup, editions

pytestmark = pytest.mark.full

DAILY = (
    "series", "new", "--name", "Evening cup", "--frequency", "daily", "--start-time", "20:00",
    "--preset", "kakeya4", "--round-robin", "--boards", 4, "--max-entries", 8,
)  # fmt: skip


@pytest.fixture
def cup(run, odo):
    """A daily series of Odo's."""
    assert run(*DAILY)[0] == 0
    return Series.objects.get()


class TestMade:
    def test_from_options(self, run, odo):
        assert run.json(*DAILY, "--dry-run")["plan"]["entries"] == 8
        out = run.prints(*DAILY, "--dry-run")
        assert "Evening cup" in out
        assert NOTHING_CREATED in out
        assert not Series.objects.exists()
        out = run.prints(*DAILY)
        template = Series.objects.get().template
        assert template["boards_per_round"] == 4
        assert [stage["format"] for stage in template["stages"]] == ["round_robin"]
        lines = [line.split() for line in out.splitlines()]
        assert (lines[0], ["when", "daily,", "20:00", "UTC"] in lines) == (
            ["Evening", "cup:", "active"],
            True,
        )

    def test_from_a_file_with_options_before_it(self, run, odo, tmp_path):
        path = tmp_path / "cup.toml"
        path.write_text(
            'name = "A"\nfrequency = "weekly"\nweekday = "wednesday"\nstart_time = "18:00"\n\n'
            '[template]\npreset = "kakeya4"\nboards_per_round = 2\n'
        )
        made = run.json("series", "new", path, "--name", "B", "--boards", 6)
        assert (made["name"], made["weekday"], made["template"]["boards_per_round"]) == ("B", "wednesday", 6)

    @pytest.mark.parametrize(
        ("words", "names"),
        [
            (("--preset", "kakeya4"), ("--name", "--frequency", "--start-time")),
            (("--name", "A", "--frequency", "daily", "--start-time", "20:00"), "--preset"),
            (("--set", "name=A"), "'name'"),
        ],
    )
    def test_what_is_missing_is_named_before_a_server_is_asked(self, run, words, names):
        run.refuses("series", "new", *words, names=names)

    def test_a_time_that_is_none_is_named_by_the_server(self, run, odo):
        words = ("--name", "A", "--frequency", "daily", "--start-time", "25:00", "--preset", "kakeya4")
        run.refuses("series", "new", *words, names="start_time")


class TestRun:
    def test_a_change_keeps_what_it_does_not_name(self, run, cup):
        run.refuses("series", "change", cup.public_id)
        before = dict(cup.template)
        changed = run.json("series", "change", cup.public_id, "--start-time", "21:00", "--max-entries", 6)
        assert changed["start_time"].startswith("21:00")
        cup.refresh_from_db()
        assert cup.template == {**before, "max_entries": 6}

    def test_pause_resume_end(self, run, cup):
        def acted(*words):
            state = run.json("series", words[0], cup.public_id, *words[1:])["state"]
            cup.refresh_from_db()
            return state, cup.state

        assert acted("pause", "--reason", "summer") == ("paused", "paused")
        assert acted("resume", "--dry-run") == ("active", "paused")
        assert acted("resume") == ("active", "active")
        assert "Evening cup" in run.prints("series", "end", cup.public_id)
        run.refuses("series", "resume", cup.public_id)

    def test_listed_and_shown(self, run, cup):
        assert cup.public_id in run.prints("series", "list", "--state", "active")
        assert run.json("series", "list", "--state", "ended") == []
        assert cup.public_id not in run.prints("series", "list", "--state", "ended")
        assert run.json("series", "show", cup.public_id)["name"] == "Evening cup"
        run.prints("series", "show", f"https://rensho.example/series/{cup.public_id}/")


def test_a_bot_is_entered_in_every_edition_until_it_leaves(run, cup, logged_in):
    factories.a_version(factories.a_bot(logged_in(factories.aya()), "kita"))
    run.refuses("series", "join", cup.public_id, "oni", names=("'oni'", "kita"))
    run.prints("series", "join", cup.public_id, "kita")
    assert Subscription.objects.get().bot.name == "kita"
    assert "kita" in run.prints("series", "bots", cup.public_id)
    run.prints("series", "leave", cup.public_id, "kita")
    assert not Subscription.objects.exists()
    assert run.json("series", "bots", cup.public_id) == []


def test_the_table_of_a_season_is_derived_again(run, odo):
    series = a_cup()
    for words in ((), ("--check",)):
        assert "2026-Q3" not in run.prints("series", "table", series.public_id, *words)
    held = editions(series, 2)
    out = run.prints("series", "table", series.public_id)
    assert out.startswith("2026-Q3: 2 tournaments")
    assert out.count("bot of ") == 3
    out = run.prints("series", "table", series.public_id, "--check", "--season", "2026-Q3")
    assert out.startswith("2026-Q3, 2 tournaments: ")
    season = run.json("series", "table", series.public_id)
    with Client(os.environ["RENSHO_URL"]) as client:
        standings = {tournament.public_id: client.standings(tournament.public_id) for tournament in held}
    assert season_differences(season, standings) == []
    season["rows"][0]["points"] = "21"
    season["tournaments"][1]["placed"][0]["place"] = 2
    place, points = season_differences(season, standings)
    assert "(2, '10')" in place
    assert "(1, '10')" in place
    assert "21" in points
    run.refuses("series", "table", series.public_id, "--season", "1999-Q1", names="2026-Q3")
