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
    def test_newest_first_and_filtered(self, run, public):
        first, second = factories.an_open_tournament(name="First"), under_way()
        factories.a_tournament(name="A draft")
        lines = run.prints("tournaments", "list").splitlines()[1:]
        assert [line.split()[0] for line in lines] == [second.public_id, first.public_id]
        running = ("--state", "running")
        for words, events in (
            (running, [second]),
            ((*running, "--state", "open"), [second, first]),
            (("--limit", 1), [second]),
            (("--player", "aya"), [second]),
            (("--organiser", "nobody"), []),
        ):
            listed = run.json("tournaments", "list", *words)
            assert [event["id"] for event in listed] == [event.public_id for event in events]

    def test_the_states_are_the_contract_s(self):
        assert TournamentState.__args__ == STATES
        assert set(STATES) == set(Tournament.State.values)

    @pytest.mark.parametrize(
        ("words", "names"), [([], "VERB"), (["list", "--state", "sleeping"], "'sleeping'")]
    )
    def test_a_verb_and_a_state_there_is_are_needed(self, run, words, names):
        run.refuses("tournaments", *words, names=names)


class TestShown:
    def test_everything_with_what_one_may_do(self, run, odo):
        event = factories.an_open_tournament(name="Spring cup", description="All\nwelcome")
        lines = [line.split() for line in run.prints("tournaments", "show", event.public_id).splitlines()]
        assert lines[0] == ["Spring", "cup:", "open"]
        for line in (["id", event.public_id], ["organiser", "odo"], ["commitment", event.commitment],
                     ["about", "All", "welcome"]):  # fmt: skip
            assert line in lines
        assert any(word.startswith("lock") for word in lines[-1])
        summary = run.json("tournaments", "show", event.public_id, "--plan")
        assert (summary["tournament"]["id"], summary["plan"]["entries"]) == (event.public_id, 64)

    def test_the_end_of_its_review(self, run, odo):
        event = play_out(begun(2, boards_per_round=1, review_hours=24))
        event.refresh_from_db()
        until = f"{event.review_until:%Y-%m-%d %H:%M} UTC"
        out = run.prints("tournaments", "show", event.public_id)
        assert out.splitlines()[0].endswith(until)
        assert "24" in out
        Tournament.objects.update(review_until=timezone.now(), revision=F("revision") + 1)
        assert "UTC" not in run.prints("tournaments", "show", event.public_id).splitlines()[0]

    @pytest.mark.parametrize("name", ["nosuch", "No Such"])
    def test_what_is_not_there(self, run, odo, name):
        run.refuses("tournaments", "show", name, names=name)


class TestMade:
    def test_from_a_file(self, run, odo, file):
        out = run.prints("tournaments", "new", file(TOML))
        event = Tournament.objects.get()
        assert (event.name, event.state, event.boards_per_round, event.max_entries) == (
            "Spring cup", "draft", 4, 8,
        )  # fmt: skip
        assert event.closes_at.isoformat() == "2099-05-01T18:00:00+00:00"
        assert (event.review_hours, event.stages.get().options["cycles"]) == (6, 2)
        assert f"rensho tournaments open {event.public_id}" in out

    def test_options_come_before_the_file_and_json_is_read_too(self, run, odo, file):
        path = file(json.dumps({"name": "A", "preset": "kakeya4"}), "cup.json")
        words = ("--name", "B", "--boards", 6, "--kind", "deal", "--private", "--format", "swiss")
        made = run.json("tournaments", "new", path, *words, "--set", "max_entries=9")
        assert (made["name"], made["boards_per_round"], made["visibility"], made["max_entries"]) == (
            "B", 6, "private", 9,
        )  # fmt: skip
        assert [stage["format"] for stage in made["stages"]] == ["swiss"]

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_a_dry_run_shows_plan_and_cost_and_makes_nothing(self, run, odo, file, mark):
        path = file(f"{mark}{TOML}")
        assert run.prints("tournaments", "new", path, "--dry-run").splitlines()[2].split()[3:5] == ["8", "14"]
        assert run.json("tournaments", "new", path, "--dry-run")["fixtures"] == 56
        assert not Tournament.objects.exists()

    @pytest.mark.parametrize(
        ("text", "name", "names"),
        [
            ("name = ", "a.toml", "a.toml"),
            ("{", "a.json", "a.json"),
            ("[]", "a.json", "a.json"),
            (TOML.encode("utf-16"), "a.toml", "a.toml is UTF-16"),
            (TOML.encode("utf-16-le"), "a.toml", "a.toml is UTF-16"),
            ("name = '大会'".encode("cp932"), "a.toml", "a.toml is cp932"),
            ("name = 'caf\xe9'".encode("latin-1"), "a.toml", ("a.toml", "(line 1)", "UTF-8")),
            ("nmae = 'x'", "a.toml", ("'nmae'", "name")),
            ("visibility = 'secret'", "a.toml", ("'secret'", "public", "private")),
            ("name = 'x'", "a.toml", "--preset"),
            ("", "a.toml", ("--name", "--preset")),
        ],
    )
    def test_a_file_that_cannot_be_used_is_not_sent(self, run, unasked, file, text, name, names):
        run.refuses("tournaments", "new", file(text, name), names=names)

    @pytest.mark.parametrize("given", ["max_entries", "=3", "nosuch=3"])
    def test_a_field_that_is_none_is_refused(self, run, given):
        run.refuses("tournaments", "new", "--name", "A", "--preset", "kakeya4", "--set", given, names="--set")

    def test_a_file_that_is_not_there(self, run, tmp_path):
        run.refuses("tournaments", "new", tmp_path / "no.toml", names="no.toml")

    def test_every_wrong_field_is_named_by_the_server(self, run, odo):
        words = ("--name", "A", "--preset", "kakeya4", "--boards", 0, "--set", "max_entries=-1")
        run.refuses("tournaments", "new", *words, names=("boards_per_round: ", "max_entries: "))

    def test_who_does_not_organise_is_told_so(self, run, aya):
        run.refuses("tournaments", "new", "--name", "A", "--preset", "kakeya4")


class TestBuilt:
    """Stages from options, and fields asked for."""

    NAMED = ("tournaments", "new", "--name", "A", "--preset", "kakeya4")

    def stages(self, run, *words):
        return json.loads(run.prints(*self.NAMED, *words, "--print"))["stages"]

    def test_options_belong_to_the_stage_before_them(self, run, odo):
        words = "--groups --option size=4 --single-elimination --qualify 8 --stage-boards 12 --boards 16"
        words = words.split()
        assert self.stages(run, *words) == [
            {"format": "groups", "options": {"size": 4}},
            {"format": "single_elimination", "qualify": 8, "boards_per_round": 12},
        ]
        run.prints(*self.NAMED, *words)
        event = Tournament.objects.get()
        assert event.boards_per_round == 16
        assert [stage.qualify for stage in event.stages.order_by("number")] == [None, 8]

    def test_printed_fields_need_no_server_and_make_a_file(self, run, tmp_path, odo, monkeypatch):
        path = tmp_path / "cup.json"
        with monkeypatch.context() as alone:
            alone.delenv("RENSHO_URL")
            path.write_text(run.prints(*self.NAMED, "--swiss", "--option", "rounds=5", "--print"))
        run.prints("tournaments", "new", path)
        assert Tournament.objects.get().stages.get().options["rounds"] == 5

    @pytest.mark.parametrize(
        "words",
        [
            ("--option", "rounds=5", "--swiss"), ("--qualify", "4", "--swiss"),
            ("--stage-boards", "4", "--swiss"), ("--swiss", "--option", "5"),
        ],
    )  # fmt: skip
    def test_an_option_without_a_stage_before_it_or_without_a_value(self, run, words):
        run.refuses(*self.NAMED, *words, names=words[-2] if words[0] == "--swiss" else words[0])

    def test_every_format_has_its_flag(self, run, odo):
        for key in offered_formats():
            assert self.stages(run, f"--{key.replace('_', '-')}") == [{"format": key}]


class TestAsked:
    """``--interactive``, answered from a pipe."""

    STAGE = ("round-robin", "2", "n")

    @pytest.fixture
    def answered(self, run, odo, monkeypatch):
        """Gives what the command gives that is answered so."""

        def answering(lines, *words):
            monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
            return run("tournaments", "new", "--interactive", *words)

        return answering

    def test_what_is_missing_is_asked_and_the_plan_is_shown_before_it_is_made(self, answered):
        status, out, _ = answered(["Spring cup", "kakeya4", *self.STAGE, "8", "6", "", "y"])
        assert (status, out.startswith("Spring cup: draft\n")) == (0, True)
        event = Tournament.objects.get()
        assert (event.name, event.preset, event.boards_per_round, event.max_entries) == (
            "Spring cup", "kakeya4", 8, 6,
        )  # fmt: skip
        assert event.stages.get().options["cycles"] == 2

    def test_a_no_makes_nothing(self, answered):
        words = ("--name", "A", "--preset", "kakeya4")
        assert answered([*self.STAGE, "8", "6", "", "n"], *words)[:2] == (0, "")
        assert answered(["Spring cup"])[0] == 2, "the input ended"
        assert not Tournament.objects.exists()


class TestChanged:
    def test_what_the_state_allows(self, run, odo, file):
        event = factories.a_tournament(name="Cup")
        change = ("tournaments", "change", event.public_id)
        out = run.prints(*change, file('description = "All welcome"'), "--name", "Spring cup")
        assert out.startswith("Spring cup: draft\n")
        event.refresh_from_db()
        assert (event.name, event.description) == ("Spring cup", "All welcome")
        assert run.json(*change, "--set", "budget_cpu_s=7200")["budget_cpu_s"] == 7200
        run.refuses(*change)

    def test_what_it_does_not_allow_is_told(self, run, odo):
        run.refuses("tournaments", "change", under_way().public_id, "--preset", "kakeya6", names="preset")


class TestRun:
    def test_from_draft_to_archive(self, run, odo):
        event = factories.a_tournament(name="Cup", min_entries=2)

        def acted(verb, *words):
            return run.json("tournaments", verb, event.public_id, *words)["state"]

        assert acted("open", "--dry-run") == "open"
        assert "open" in run.prints("tournaments", "open", event.public_id, "--dry-run")
        event.refresh_from_db()
        assert event.state == "draft"
        assert acted("open") == "open"
        for owner in (factories.aya(), factories.ben()):
            factories.an_entry(event, owner)
        assert [acted("lock"), acted("start")] == ["locked", "running"]
        out = run.prints("tournaments", "pause", event.public_id, "--reason", "lunch")
        assert out.startswith("Cup: paused (lunch)")
        assert acted("resume") == "running"
        play_out(event)
        assert run.prints("tournaments", "archive", event.public_id) == "Cup: archived\n"

    def test_an_end_before_its_time(self, run, odo):
        event = begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
        run.prints("tournaments", "cancel", event.public_id, "--reason", "rain")
        event.refresh_from_db()
        assert (event.state, event.state_reason) == ("cancelled", "rain")

    @pytest.mark.parametrize("extra", [(), ("--dry-run",)])
    def test_a_verb_too_early_says_what_is_allowed_now(self, run, odo, extra):
        event = factories.a_tournament(name="Cup")
        run.refuses("tournaments", "start", event.public_id, *extra, names=("draft", "open"))

    def test_somebody_else_s_stays_theirs(self, run, aya):
        run.refuses("tournaments", "lock", factories.an_open_tournament().public_id)

    def test_closing_early_is_spelled_with_a_dash(self, run, odo):
        event = begun(2, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
        early = ("tournaments", "close-early", event.public_id, "--reason", "rain")
        run.refuses(*early)
        for table in waiting(event):
            play_table(table)
        assert run.prints(*early).startswith(f"{event.name}: ")


def test_a_crosstable_has_each_against_each(run, public):
    event = begun(2)
    assert run.json("tournaments", "crosstable", event.public_id)["rows"] == []
    assert len(run.prints("tournaments", "crosstable", event.public_id).splitlines()) == 1
    event = play_out(begun(3, boards_per_round=8))
    rows = run.prints("tournaments", "crosstable", event.public_id).splitlines()
    assert len([row for row in rows if " x " in f" {row} "]) == 3
    table = run.json("tournaments", "crosstable", event.public_id)
    means = {(row["entry"], cell["entry"]): cell["mean"] for row in table["rows"] for cell in row["against"]}
    assert len(means) == 6
    assert all(means[entry, other] == -means[other, entry] for entry, other in means)
