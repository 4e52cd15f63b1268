"""Recurring cups from the kit, on the platform itself."""

import json

import pytest

from arena.competition.models import Series, Subscription
from tests import factories

pytestmark = pytest.mark.sampled(3)

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
            'name = "A"\nevery = "weekly"\nweekday = 2\nat = "18:00"\n\n'
            '[template]\npreset = "kakeya4"\nboards_per_round = 2\n'
        )
        status, out, _ = run("series", "new", path, "--name", "B", "--boards", 6, "--json")
        assert status == 0
        made = json.loads(out)
        assert (made["name"], made["weekday"], made["template"]["boards_per_round"]) == ("B", 2, 6)

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
