"""`rensho new`: a folder with a bot that plays already."""

import json
import tomllib

import pytest

from bots.kit.local.check import check_bot
from bots.kit.local.new import create_bot, template_folder
from engine import all_games

PRESETS = [preset for game in all_games().values() for preset in game.presets]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_made_passes_the_check_of_its_preset(tmp_path, preset):
    made = create_bot(tmp_path / "mine", preset)
    report, _ = check_bot(made.folder, preset, is_sandboxed=False)
    assert report.accepted, report.reasons


def test_the_bot_has_the_name_it_was_given(rensho, tmp_path):
    out = rensho.prints("new", "Mitsu-2.b", "--preset", "kakkuri")
    manifest = tomllib.loads((tmp_path / "Mitsu-2.b" / "rensho.toml").read_text())
    assert manifest == {
        "name": "Mitsu-2.b",
        "runtime": "python/1",
        "entry_point": "main.py",
        "preset": "kakkuri",
    }
    assert 'name = "Mitsu-2.b"' in (tmp_path / "Mitsu-2.b" / "main.py").read_text()
    for path in (tmp_path / "Mitsu-2.b").iterdir():
        assert "my-bot" not in path.read_text()
        assert "$" not in path.read_text()
    assert "rensho check Mitsu-2.b\n" in out


def test_readme_names_the_next_three_commands_and_they_are_commands(rensho, tmp_path):
    made = rensho.json("new", "mine", "--preset", "kakeya6")
    readme = (tmp_path / "mine" / "README.md").read_text()
    commands = [line.strip() for line in readme.splitlines() if line.startswith("    rensho ")]
    assert commands == [made["check"], made["play"], made["compare"]]
    assert made["play"] == "rensho play mine house:greedy house:greedy"
    extra = ["--boards", "1"], ["--cap", "30", "--difference", "5"]
    for command, more in zip(commands, ([], *extra), strict=True):
        rensho.prints(*command.split()[1:], *more, "--no-sandbox")


def test_a_path_may_lead_elsewhere_and_spaces_in_it_are_quoted(rensho, tmp_path):
    (tmp_path / "my bots").mkdir()
    assert "rensho check 'my bots/mine'\n" in rensho.prints("new", "my bots/mine")
    assert (tmp_path / "my bots" / "mine" / "main.py").is_file()


def test_a_game_without_a_template_gets_the_one_that_plays_any():
    assert template_folder("kakeya").name == "kakeya"
    assert template_folder("napoleon").name == "generic"


@pytest.mark.parametrize("name", ["", ".", "..", "-x", "a b", "ä", "x" * 61, ".hidden", "a\nb"])
def test_a_name_no_bot_can_have_is_refused(rensho, tmp_path, name):
    rensho.refuses("new", "--", name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["mine", "nowhere/mine"])
def test_a_folder_that_is_there_or_cannot_be_made_is_left_alone(rensho, tmp_path, name):
    (tmp_path / "mine").mkdir()
    rensho.refuses("new", name, names=name)
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


@pytest.mark.parametrize("language", ["javascript", "c"])
def test_another_language_plays_both_games_at_once(rensho, tmp_path, language):
    rensho.prints("new", "mine", "--language", language, "--preset", "kakkuri")
    assert f'"{"plain_" + language}"' not in (tmp_path / "mine" / "rensho.toml").read_text()
    for words in (
        ("house:random", "house:random", "--preset", "kakkuri", "--option", "seats=3"),
        ("house:random", "--preset", "kakeya4"),
    ):
        status, out, _ = rensho("play", "mine", *words, "--boards", "3", "--no-sandbox", "--json")
        assert (status, json.loads(out)["sides"][0]["faults"]) == (0, {})


@pytest.mark.parametrize(("language", "names"), [("c", "C compiler"), ("javascript", "node/1")])
def test_without_compiler_or_node_one_line_says_so_and_nothing_is_made(
    rensho, tmp_path, monkeypatch, language, names
):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv("RENSHO_NODE", str(tmp_path / "nowhere"))
    rensho.refuses("new", "mine", "--language", language, names=names, status=3)
    assert not (tmp_path / "mine").exists()


def test_the_compiler_is_the_one_that_cc_names(rensho, monkeypatch):
    monkeypatch.setenv("CC", "nosuch -m64")
    rensho.refuses("new", "mine", "--language", "c", names="'nosuch'", status=3)
    monkeypatch.setenv("CC", "cc -DNDEBUG")
    assert "make -C mine\n" in rensho.prints("new", "mine", "--language", "c")


def test_a_policy_comes_with_its_layout_and_only_in_python(rensho, tmp_path):
    made = rensho.json("new", "mine", "--template", "policy", "--preset", "kakkuri")
    assert {"main.py", "policy.npz", "layouts/__init__.py", "layouts/policy.py"} <= {*made["files"]}
    rensho.refuses("new", "other", "--template", "policy", "--language", "c", names="--language")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
