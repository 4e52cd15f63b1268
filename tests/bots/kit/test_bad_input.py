"""Whatever is wrong with what was typed: one line that names the culprit and the fix, and status 2."""

import pytest

from bots.kit import cli
from bots.kit.errors import MACHINE_UNABLE
from tests.bots.kit.conftest import GOOD

PLAY = ("play", "house:greedy", "house:greedy")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("play", "house:greedy", "house:greedy", "--preset", "kakeya6"),
            "kakeya6 has 3 sides; 2 given: add one, for example house:greedy",
        ),
        (("play", "house:greedy"), "kakeya4 has 2 sides; 1 given: add one, for example house:greedy"),
        ((*PLAY, "house:random"), "kakeya4 has 2 sides; 3 given: leave out one"),
        (
            (*PLAY, "--preset", "kakkuri", "--option", "seats=4"),
            "kakkuri has 4 sides; 2 given: add 2, for example house:greedy house:greedy",
        ),
        ((*PLAY, "--preset", "kakeya5"), "unknown preset 'kakeya5'; did you mean kakeya"),
        ((*PLAY, "--preset", "chess"), "unknown preset 'chess'; presets: "),
        ((*PLAY, "--option", "dept=true"), "unknown option 'dept' for kakeya4; options: "),
        ((*PLAY, "--option", "debt=perhaps"), "option 'debt' of kakeya4 cannot be 'perhaps': give "),
        ((*PLAY, "--option", "stones=0"), "option 'stones' of kakeya4 cannot be 0: give a whole number"),
        ((*PLAY, "--option", "seats=6"), "take kakeya6"),
        ((*PLAY, "--option", "debt"), "--option 'debt' is not NAME=VALUE: write it like debt=false"),
        ((*PLAY, "--option", "=1"), "--option '=1' is not NAME=VALUE"),
        ((*PLAY, "--option", "stones=4", "--option", "stones=5"), "--option stones is given twice"),
        (
            (*PLAY, "--kind", "game"),
            "may last for ever: end it after so many deals with --option hand_cap=60",
        ),
        ((*PLAY, "--boards", "0"), "--boards 0: give a number from 1 to "),
        ((*PLAY, "--jobs", "0"), "--jobs 0: give a number from 1 to "),
        (
            ("play", "house:greed", "house:greedy"),
            "there is no house bot 'house:greed'; those for kakeya: house:greedy, house:ismcts, ",
        ),
        (
            ("play", "house:kakkuri_greedy", "house:greedy"),
            "house:kakkuri_greedy plays kakkuri, not kakeya: take house:greedy, or a preset",
        ),
        (("play", "nowhere", "house:greedy"), "there is no bot at 'nowhere': give a folder with rensho.toml"),
        (
            ("play", "a+b+c", "house:greedy"),
            "'a+b+c' names 3 bots, but in kakeya4 a side has 2 seats: name one",
        ),
        (
            ("play", "a+b", "house:greedy", "house:greedy", "--preset", "kakkuri", "--option", "seats=3"),
            "'a+b' names 2 bots, but in kakkuri a side has one seat: name one bot",
        ),
        (("compare", "house:greedy", "house:greedy"), "are the same bot, byte for byte"),
        (("check", "nowhere"), "cannot read 'nowhere'"),
        (("check", "nowhere", "--preset", "x"), "unknown preset 'x'"),
        (("reproduce", "nowhere"), "cannot read nowhere: No such file"),
        (("reproduce", "/"), "cannot read /: Is a directory"),
        (("reproduce", __file__), "it is not JSON"),
    ],
)
def test_one_line_names_the_culprit_and_the_fix(rensho, words, complaint):
    status, out, err = rensho(*words)
    assert (status, out) == (2, "")
    assert err.startswith("rensho: ")
    assert err.count("\n") == 1
    assert complaint in err


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        ('name = "x', "rensho.toml cannot be read: "),
        ('name = "x"\nruntime = "python/1"\n', "rensho.toml needs entry_point as text"),
        ('name = "x"\nruntime = "python/1"\nentry_point = "nix.py"\n', "entry_point 'nix.py' is no .py file"),
        (
            'name = "x"\nruntime = "ruby/1"\nentry_point = "main.py"\n',
            "there is no runtime 'ruby/1': use python/1",
        ),
        ('nmae = "x"\nruntime = "python/1"\nentry_point = "main.py"\n', "unknown field 'nmae'"),
        (None, "rensho.toml is missing"),
    ],
)
def test_a_broken_rensho_toml_is_named_with_what_to_write(rensho, tmp_path, manifest, complaint):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "main.py").write_text(GOOD)
    if manifest is not None:
        (folder / "rensho.toml").write_text(manifest)
    status, out, err = rensho("play", folder, "house:greedy")
    assert (status, out) == (2, "")
    assert err.startswith(f"rensho: {folder}: ")
    assert complaint in err


@pytest.mark.parametrize(
    "words", [("play", "house:greedy", "house:rules"), ("compare", "house:greedy", "house:rules"), ("check",)]
)
def test_a_machine_without_a_sandbox_is_told_the_remedy_and_the_way_round(rensho, monkeypatch, bot, words):
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "NONE")
    status, out, err = rensho(*words, *([] if len(words) > 1 else [bot(GOOD)]))
    assert (status, out) == (MACHINE_UNABLE, "")
    assert "no sandbox here: SANDBOX_MIN_LEVEL is 'NONE'. Set it to COMPAT, FULL1 or FULL." in err
    assert "--no-sandbox" in err
    assert err.count("\n") == 1


def test_a_fault_of_ours_is_one_line_and_debug_shows_where(rensho, monkeypatch):
    def fail(arguments):
        raise LookupError("nobody thought of this")

    monkeypatch.setattr("bots.kit.local.check._check", fail)
    status, out, err = rensho("check", "x")
    assert (status, out) == (3, "")
    assert err.count("\n") == 1
    assert "LookupError: nobody thought of this; this is a fault of rensho, not yours" in err
    assert "rensho --debug check x" in err
    _, _, err = rensho("--debug", "check", "x")
    assert "Traceback" in err


def test_every_status_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "0 done; 1 a check failed; 2 invalid input or command; " in text
    assert "3 not possible on this machine, or no server can be reached; " in text
    assert "4 standard output cannot be written; 130 interrupted; 141 nobody reads the output" in text
