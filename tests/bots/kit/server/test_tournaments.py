"""Tournaments listed, shown, made and run from the kit, on the platform itself."""

import io
import json

import pytest
from django.db.models import F
from django.utils import timezone

from arena.competition.models import Tournament
from bots.kit.client.shapes import TournamentState
from bots.kit.server.tournaments import STATES
from league.formats import offered_formats
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting
from tests.bots.kit.server.peer import peer, plain
from tests.bots.kit.server.watched import under_way

TOML = """\
name = "Spring cup"
preset = "kakeya4"
boards_per_round = 4
max_entries = 8
review_hours = 6
closes_at = 2099-05-01T18:00:00Z

[[stages]]
format = "round_robin"
options = { cycles = 2 }
"""


@pytest.fixture
def file(tmp_path):
    """Writes a file of fields."""

    def writing(text, name="cup.toml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writing


class TestListed:
    def test_newest_first_and_filtered(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        first, second = factories.an_open_tournament(name="First"), under_way()
        factories.a_tournament(name="A draft")
        status, out, err = run("tournaments", "list")
        assert (status, err) == (0, "")
        assert [line.split()[0] for line in out.splitlines()[1:]] == [second.public_id, first.public_id]
        running = json.loads(run("tournaments", "list", "--state", "running", "--json")[1])
        assert [listed["id"] for listed in running] == [second.public_id]
        both = run("tournaments", "list", "--state", "running", "--state", "registration", "--json")[1]
        assert len(json.loads(both)) == 2
        assert len(json.loads(run("tournaments", "list", "--limit", 1, "--json")[1])) == 1
        assert [
            listed["id"] for listed in json.loads(run("tournaments", "list", "--player", "aya", "--json")[1])
        ] == [second.public_id]
        assert json.loads(run("tournaments", "list", "--organiser", "nobody", "--json")[1]) == []

    def test_the_states_are_the_contract_s(self):
        assert TournamentState.__args__ == STATES
        assert set(STATES) == set(Tournament.State.values)

    def test_a_state_there_is_not_is_refused(self, run):
        status, _, err = run("tournaments", "list", "--state", "sleeping")
        assert status == 2
        assert "invalid choice: 'sleeping'" in err

    def test_a_verb_is_needed(self, run):
        status, _, err = run("tournaments")
        assert status == 2
        assert "VERB" in err


class TestShown:
    def test_everything_with_what_one_may_do(self, run, odo):
        event = factories.an_open_tournament(name="Spring cup", description="All\nwelcome")
        status, out, _ = run("tournaments", "show", event.public_id)
        lines = [" ".join(line.split()) for line in out.splitlines()]
        assert status == 0
        assert lines[0] == "Spring cup: registration"
        assert f"id {event.public_id}" in lines
        assert "organiser odo" in lines
        assert f"commitment {event.commitment}" in lines
        assert "about All welcome" in lines
        assert lines[-1].startswith("You may now: ")
        assert "lock" in lines[-1]

    def test_the_end_of_its_review(self, run, odo):
        event = play_out(begun(2, boards_per_round=1, review_hours=24))
        event.refresh_from_db()
        out = run("tournaments", "show", event.public_id)[1]
        until = f"provisional until {event.review_until:%Y-%m-%d %H:%M} UTC"
        assert out.splitlines()[0].endswith(until)
        assert out.splitlines().count("  review      24 hours after the last round") == 1
        Tournament.objects.update(review_until=timezone.now(), revision=F("revision") + 1)
        assert "until" not in run("tournaments", "show", event.public_id)[1].splitlines()[0]

    def test_with_plan(self, run, odo):
        event = factories.an_open_tournament(max_entries=4)
        out = run("tournaments", "show", event.public_id, "--plan")[1]
        assert "With 4 entries, at most:" in out
        summary = json.loads(run("tournaments", "show", event.public_id, "--plan", "--json")[1])
        assert summary["tournament"]["id"] == event.public_id
        assert summary["plan"]["fixtures"] == 6

    def test_what_is_not_there(self, run, odo):
        assert run("tournaments", "show", "nosuch")[0] == 2
        status, _, err = run("tournaments", "show", "No Such")
        assert (status, err.count("\n")) == (2, 1)


class TestMade:
    def test_from_a_file(self, run, odo, file):
        status, out, err = run("tournaments", "new", file(TOML))
        assert (status, err) == (0, "")
        event = Tournament.objects.get()
        assert (event.name, event.state, event.boards_per_round, event.max_entries) == (
            "Spring cup", "draft", 4, 8,
        )  # fmt: skip
        assert event.closes_at.isoformat() == "2099-05-01T18:00:00+00:00"
        assert event.review_hours == 6
        assert event.stages.get().options["cycles"] == 2
        assert out.splitlines()[0] == "Spring cup: draft"
        assert f"rensho tournaments open {event.public_id}" in out

    def test_options_come_before_the_file_and_json_is_read_too(self, run, odo, file):
        path = file(json.dumps({"name": "A", "preset": "kakeya4"}), "cup.json")
        words = ("--name", "B", "--boards", 6, "--kind", "deal", "--private", "--format", "swiss")
        status, out, _ = run("tournaments", "new", path, *words, "--set", "max_entries=9", "--json")
        assert status == 0
        made = json.loads(out)
        assert (made["name"], made["boards_per_round"], made["visibility"], made["max_entries"]) == (
            "B", 6, "private", 9,
        )  # fmt: skip
        assert [stage["format"] for stage in made["stages"]] == ["swiss"]

    def test_a_dry_run_shows_plan_and_cost_and_makes_nothing(self, run, odo, file):
        status, out, err = run("tournaments", "new", file(TOML), "--dry-run")
        assert (status, err) == (0, "")
        assert out.splitlines()[0] == "With 8 entries, at most:"
        row = out.splitlines()[2].split()
        assert row[:5] == ["1", "round", "robin", "8", "14"]
        assert "Note: No table of this preset has been measured yet" in out
        plan = json.loads(run("tournaments", "new", file(TOML), "--dry-run", "--json")[1])
        assert plan["fixtures"] == 56
        assert not Tournament.objects.exists()

    @pytest.mark.parametrize("name", ["cup.toml", "cup.json"])
    def test_a_byte_order_mark_is_no_part_of_a_file(self, run, odo, file, name):
        text = TOML if name.endswith(".toml") else '{"name": "Cup", "preset": "kakeya4"}'
        plan = run("tournaments", "new", file(f"\ufeff{text}", name), "--dry-run", "--json")
        assert plan[0] == 0, plan

    @pytest.mark.parametrize(
        ("text", "name", "words"),
        [
            ("name = ", "a.toml", "is no TOML"),
            ("{", "a.json", "is no JSON"),
            ("[]", "a.json", "holds no fields"),
            (TOML.encode("utf-16"), "a.toml", "a.toml is UTF-16: save it as UTF-8"),
            (TOML.encode("utf-16-le"), "a.toml", "a.toml is UTF-16: save it as UTF-8"),
            ("name = '大会'".encode("cp932"), "a.toml", "a.toml is cp932 (Shift_JIS): save it as UTF-8"),
            (
                "name = 'caf\xe9'".encode("latin-1"),
                "a.toml",
                "a.toml is not UTF-8 (line 1): save it as UTF-8",
            ),
            ("nmae = 'x'", "a.toml", "a tournament has no field 'nmae'; there are: name, "),
            (
                "visibility = 'secret'",
                "a.toml",
                "cannot be 'secret': it is one of public, private",
            ),
            ("name = 'x'", "a.toml", "a tournament needs a preset: give --preset"),
            ("", "a.toml", "needs a name and a preset: give --name and --preset"),
        ],
    )
    def test_a_file_that_cannot_be_used_is_not_sent(self, run, monkeypatch, file, text, name, words):
        with peer(plain({})) as server:
            monkeypatch.setenv("RENSHO_URL", server.url)
            monkeypatch.setenv("RENSHO_TOKEN", "t")
            status, out, err = run("tournaments", "new", file(text, name))
            assert (status, out) == (2, "")
            assert words in err
            assert err.count("\n") == 1
            assert server.asked == []

    @pytest.mark.parametrize("given", ["max_entries", "=3", "nosuch=3"])
    def test_a_field_that_is_none_is_refused(self, run, given):
        status, _, err = run("tournaments", "new", "--name", "A", "--preset", "kakeya4", "--set", given)
        assert status == 2
        assert "--set" in err

    def test_a_file_that_is_not_there(self, run, tmp_path):
        assert "cannot read" in run("tournaments", "new", tmp_path / "no.toml")[2]

    def test_every_wrong_field_is_named_by_the_server(self, run, odo):
        words = ("--name", "A", "--preset", "kakeya4", "--boards", 0, "--set", "max_entries=-1")
        status, _, err = run("tournaments", "new", *words)
        assert (status, err.count("\n")) == (2, 1)
        assert "boards_per_round: " in err
        assert "max_entries: " in err

    def test_who_does_not_organise_is_told_so(self, run, aya):
        status, _, err = run("tournaments", "new", "--name", "A", "--preset", "kakeya4")
        assert (status, err.count("\n")) == (2, 1)


class TestBuilt:
    """Stages from options, and fields asked for."""

    NAMED = ("tournaments", "new", "--name", "A", "--preset", "kakeya4")

    def test_a_stage_of_one_word(self, run, odo):
        assert run(*self.NAMED, "--round-robin", "--boards", 16)[0] == 0
        event = Tournament.objects.get()
        assert ([stage.format for stage in event.stages.all()], event.boards_per_round) == (
            ["round_robin"],
            16,
        )

    def test_options_belong_to_the_stage_before_them(self, run, odo):
        words = (
            "--groups",
            "--option",
            "size=4",
            "--single-elimination",
            "--qualify",
            8,
            "--stage-boards",
            12,
        )
        assert json.loads(run(*self.NAMED, *words, "--print")[1])["stages"] == [
            {"format": "groups", "options": {"size": 4}},
            {"format": "single_elimination", "qualify": 8, "boards_per_round": 12},
        ]
        assert run(*self.NAMED, *words)[0] == 0
        assert [stage.qualify for stage in Tournament.objects.get().stages.order_by("number")] == [None, 8]

    def test_printed_fields_need_no_server_and_make_a_file(self, run, tmp_path, odo, monkeypatch):
        path = tmp_path / "cup.json"
        with monkeypatch.context() as alone:
            alone.delenv("RENSHO_URL")
            path.write_text(run(*self.NAMED, "--swiss", "--option", "rounds=5", "--print")[1])
        assert run("tournaments", "new", path)[0] == 0
        assert Tournament.objects.get().stages.get().options["rounds"] == 5

    @pytest.mark.parametrize(
        "option", [("--option", "rounds=5"), ("--qualify", "4"), ("--stage-boards", "4")]
    )
    def test_an_option_without_a_stage_before_it(self, run, option):
        status, _, err = run(*self.NAMED, *option, "--swiss")
        assert status == 2
        assert f"{option[0]} belongs to the stage before it" in err

    def test_an_option_that_is_none(self, run):
        assert "write it as NAME=VALUE" in run(*self.NAMED, "--swiss", "--option", "5")[2]

    def test_every_format_has_its_flag(self, run, odo):
        for key in offered_formats():
            fields = json.loads(run(*self.NAMED, f"--{key.replace('_', '-')}", "--print")[1])
            assert fields["stages"] == [{"format": key}]


class TestAsked:
    """``--interactive``, answered from a pipe."""

    @pytest.fixture
    def answers(self, monkeypatch):
        def answering(*lines):
            monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

        return answering

    STAGE = ("round-robin", "2", "n")

    def test_what_is_missing_is_asked_and_the_plan_is_shown_before_it_is_made(self, run, odo, answers):
        answers("Spring cup", "kakeya4", *self.STAGE, "8", "6", "", "y")
        status, out, err = run("tournaments", "new", "--interactive")
        assert status == 0
        event = Tournament.objects.get()
        assert (event.name, event.preset, event.boards_per_round, event.max_entries) == (
            "Spring cup", "kakeya4", 8, 6,
        )  # fmt: skip
        assert event.stages.get().options["cycles"] == 2
        assert "With 6 entries, at most:" in err
        assert out.startswith("Spring cup: draft\n")

    def test_a_no_makes_nothing(self, run, odo, answers):
        answers(*self.STAGE, "8", "6", "", "n")
        status, out, err = run("tournaments", "new", "--interactive", "--name", "A", "--preset", "kakeya4")
        assert (status, out) == (0, "")
        assert "Nothing was made." in err
        assert not Tournament.objects.exists()

    def test_an_end_of_input_is_told(self, run, odo, answers):
        answers("Spring cup")
        status, _, err = run("tournaments", "new", "--interactive")
        assert status == 2
        assert "the input ended before the last question" in err


class TestChanged:
    def test_what_the_state_allows(self, run, odo, file):
        event = factories.a_tournament(name="Cup")
        path = file('description = "All welcome"')
        status, out, _ = run("tournaments", "change", event.public_id, path, "--name", "Spring cup")
        assert status == 0
        assert out.startswith("Spring cup: draft\n")
        event.refresh_from_db()
        assert (event.name, event.description) == ("Spring cup", "All welcome")
        words = ("tournaments", "change", event.public_id, "--set", "budget_cpu_s=7200", "--json")
        assert json.loads(run(*words)[1])["budget_cpu_s"] == 7200

    def test_what_it_does_not_allow_is_told(self, run, odo):
        event = under_way()
        status, _, err = run("tournaments", "change", event.public_id, "--preset", "kakeya6")
        assert (status, err.count("\n")) == (2, 1)
        assert "preset" in err

    def test_nothing_to_change(self, run, odo):
        assert "say what to change" in run("tournaments", "change", "e")[2]


class TestRun:
    def test_from_draft_to_archive(self, run, odo):
        event = factories.a_tournament(name="Cup", min_entries=2)
        assert run("tournaments", "open", event.public_id)[1].startswith("Cup: registration\n")
        for owner in (factories.aya(), factories.ben()):
            factories.an_entry(event, owner)
        for verb, state in (("lock", "locked"), ("start", "running")):
            assert run("tournaments", verb, event.public_id)[1].startswith(f"Cup: {state}\n")
        assert "Cup: paused (lunch)" in run("tournaments", "pause", event.public_id, "--reason", "lunch")[1]
        assert json.loads(run("tournaments", "resume", event.public_id, "--json")[1])["state"] == "running"
        play_out(event)
        assert run("tournaments", "archive", event.public_id)[1] == "Cup: archived\n"

    def test_an_end_before_its_time(self, run, odo):
        event = begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
        assert run("tournaments", "cancel", event.public_id, "--reason", "rain")[0] == 0
        event.refresh_from_db()
        assert (event.state, event.state_reason) == ("cancelled", "rain")

    def test_a_dry_run_changes_nothing(self, run, odo):
        event = factories.a_tournament(name="Cup")
        status, out, _ = run("tournaments", "open", event.public_id, "--dry-run")
        assert (status, out) == (0, "Nothing was done. Cup would be registration.\n")
        summary = json.loads(run("tournaments", "open", event.public_id, "--dry-run", "--json")[1])
        assert summary["state"] == "registration"
        event.refresh_from_db()
        assert event.state == "draft"

    @pytest.mark.parametrize("extra", [(), ("--dry-run",)])
    def test_a_verb_too_early_says_what_is_allowed_now(self, run, odo, extra):
        event = factories.a_tournament(name="Cup")
        status, _, err = run("tournaments", "start", event.public_id, *extra)
        assert (status, err.count("\n")) == (2, 1)
        assert "draft" in err
        assert "Allowed now: " in err
        assert "open" in err

    def test_somebody_else_s_stays_theirs(self, run, aya):
        event = factories.an_open_tournament()
        status, _, err = run("tournaments", "lock", event.public_id)
        assert (status, err.count("\n")) == (2, 1)

    def test_closing_early_is_spelled_with_a_dash(self, run, odo):
        event = begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
        early = ("tournaments", "close-early", event.public_id, "--reason", "rain")
        status, _, err = run(*early)
        assert (status, err.count("\n")) == (2, 1)
        for table in waiting(event):
            play_table(table)
        status, out, err = run(*early)
        assert (status, err) == (0, "")
        assert out.startswith(f"{event.name}: ")


class TestCrossed:
    def test_each_against_each(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        event = play_out(begun(3, boards_per_round=8))
        status, out, _ = run("tournaments", "crosstable", event.public_id)
        rows = [line for line in out.splitlines() if line.lstrip()[:1].isdigit()]
        assert status == 0
        assert len([row for row in rows if " x " in f" {row} "]) == 3
        table = json.loads(run("tournaments", "crosstable", event.public_id, "--json")[1])
        means = {
            (row["entry"], cell["entry"]): cell["mean"] for row in table["rows"] for cell in row["against"]
        }
        assert len(means) == 6
        assert all(means[entry, other] == -means[other, entry] for entry, other in means)

    def test_before_anybody_met(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        assert "Nobody has met yet" in run("tournaments", "crosstable", begun(2).public_id)[1]

    def test_a_large_field_has_a_line_for_each_pair(self, capsys):
        from bots.kit.display.console import console_for
        from bots.kit.display.crosstable import crosstable_print

        cell = {"mean": 0.5, "boards": 8, "low": None, "high": 1.25, "mark": "*", "match_points": 2}
        rows = [
            {
                "entry": str(n),
                "bot": f"b{n}",
                "player": "p",
                "versions": [],
                "against": [{"entry": "0", **cell}],
            }
            for n in range(13)
        ]
        crosstable_print(console_for(), {"stage": 1, "rows": rows})
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert lines[13] == ["b12", "b0", "+0.50*", "+1.25", "8", "2"]
