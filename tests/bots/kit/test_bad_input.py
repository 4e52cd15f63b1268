"""Whatever is wrong with what was typed: one line that names the culprit and the fix, and status 2."""

import re

import pytest

from bots.kit.errors import (
    BROKEN_PIPE,
    CHECK_FAILED,
    DONE,
    ENVIRONMENT_FAILURE,
    INTERRUPTED,
    INVALID_INPUT,
    OUTPUT_FAILED,
)
from league.sequential import MIN_BOARDS
from tests.bots.kit.conftest import GOOD

PLAY = ("play", "house:greedy", "house:greedy")
RIVALS = ("house:greedy", "house:rules")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((*PLAY, "--preset", "kakeya6"), ("kakeya6", "3 sides", "house:greedy")),
        (("play", "house:greedy"), ("kakeya4", "2 sides")),
        ((*PLAY, "house:random"), ("kakeya4", "2 sides")),
        ((*PLAY, "--preset", "kakkuri", "--option", "seats=4"), ("4 sides", "house:greedy house:greedy")),
        ((*PLAY, "--preset", "kakeya5"), ("'kakeya5'", "kakeya")),
        ((*PLAY, "--preset", "chess"), ("'chess'", "kakkuri.league")),
        ((*PLAY, "--option", "dept=true"), ("'dept'", "kakeya4", "debt")),
        ((*PLAY, "--option", "debt=perhaps"), ("'debt'", "'perhaps'")),
        ((*PLAY, "--option", "stones=0"), "'stones'"),
        ((*PLAY, "--option", "seats=6"), "kakeya6"),
        ((*PLAY, "--option", "debt"), ("--option 'debt'", "debt=false")),
        ((*PLAY, "--option", "=1"), "--option '=1'"),
        ((*PLAY, "--option", "stones=4", "--option", "stones=5"), "--option stones"),
        ((*PLAY, "--option", "stones=" + "[" * 100_000), "'[[["),
        ((*PLAY, "--kind", "game"), "hand_cap=60"),
        ((*PLAY, "--boards", "0"), "--boards 0: "),
        ((*PLAY, "--jobs", "0"), "--jobs 0: "),
        ((*PLAY, "--jobs", "x" * 10_000), "--jobs"),
        ((*PLAY, "--seed", "\udcff"), "'\\udcff'"),
        (("play", "house:greed", "house:greedy"), ("'house:greed'", "house:greedy, house:ismcts, ")),
        (("play", "house:kakkuri_greedy", "house:greedy"), ("house:kakkuri_greedy", "kakkuri", "kakeya")),
        (("play", "nowhere", "house:greedy"), ("'nowhere'", "rensho.toml")),
        *((("play", name, "house:greedy"), repr(name)) for name in ("", "+house:greedy", "house:greedy+")),
        (("play", "a+b+c", "house:greedy"), ("'a+b+c'", "kakeya4", "2 seats")),
        (("play", "a+b", *PLAY[1:], "--preset", "kakkuri", "--option", "seats=3"), ("'a+b'", "kakkuri")),
        (("play", *PLAY[1:], "--record", "/usr"), "/usr, is not empty"),
        (("compare", "house:greedy", "house:greedy"), "house:greedy"),
        (("compare", *RIVALS, "--difference", "0"), "difference"),
        (("compare", *RIVALS, "--alpha", "0.5"), "alpha"),
        (("compare", *RIVALS, "--beta", "0"), "beta"),
        (("compare", *RIVALS, "--cap", f"{MIN_BOARDS - 1}"), f"{MIN_BOARDS}"),
        (("compare", *RIVALS, "--cap", "0"), "--cap 0"),
        (("check", "nowhere"), "'nowhere'"),
        (("check", "nowhere", "--preset", "x"), "'x'"),
        (("reproduce", "nowhere"), "nowhere"),
        (("reproduce", "/"), "/"),
        (("reproduce", __file__), "JSON"),
        (("new", "mine", "--preset", "kakeya5"), ("'kakeya5'", "kakeya6", "kakkuri.league")),
    ],
)
def test_one_line_names_the_culprit_and_the_fix(rensho, words, names):
    rensho.refuses(*words, names=names)


@pytest.mark.parametrize(
    ("manifest", "names"),
    [
        ('name = "x', "rensho.toml"),
        ('name = "x"\nruntime = "python/1"\n', "entry_point"),
        ('name = "x"\nruntime = "python/1"\nentry_point = "nix.py"\n', "entry_point 'nix.py'"),
        ('name = "x"\nruntime = "ruby/1"\nentry_point = "main.py"\n', ("'ruby/1'", "python/1")),
        ('nmae = "x"\nruntime = "python/1"\nentry_point = "main.py"\n', "'nmae'"),
        (None, "rensho.toml"),
    ],
)
def test_a_broken_rensho_toml_is_named_with_what_to_write(rensho, tmp_path, manifest, names):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "main.py").write_text(GOOD)
    if manifest is not None:
        (folder / "rensho.toml").write_text(manifest)
    assert rensho.refuses("play", folder, "house:greedy", names=names).startswith(f"rensho: {folder}: ")


@pytest.mark.parametrize("words", [("play", *RIVALS), ("compare", *RIVALS), ("check",)])
def test_a_machine_without_a_sandbox_is_told_the_remedy_and_the_way_round(rensho, monkeypatch, bot, words):
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "NONE")
    names = ("SANDBOX_MIN_LEVEL", "COMPAT, FULL1", "--no-sandbox")
    rensho.refuses(*words, *([] if len(words) > 1 else [bot(GOOD)]), names=names, status=ENVIRONMENT_FAILURE)


def test_a_fault_of_ours_is_one_line_and_debug_shows_where(rensho, monkeypatch):
    def fail(arguments):
        raise LookupError("nobody thought of this")

    monkeypatch.setattr("bots.kit.server.check._check", fail)
    names = ("LookupError: nobody thought of this", "rensho --debug check x")
    rensho.refuses("check", "x", names=names, status=ENVIRONMENT_FAILURE)
    assert "Traceback" in rensho("--debug", "check", "x")[2]


def test_every_status_is_in_the_help(rensho):
    statuses = (
        DONE,
        CHECK_FAILED,
        INVALID_INPUT,
        ENVIRONMENT_FAILURE,
        OUTPUT_FAILED,
        INTERRUPTED,
        BROKEN_PIPE,
    )
    text = " ".join(rensho.prints("--help").split())
    assert all(re.search(rf"[:;] {status} \w", text) for status in statuses)
