"""`rensho play --param`, `rensho tune` and `rensho gauntlet`: parameters, fields, and going on."""

import json
import subprocess
import sys
import time

import pytest

from bots.kit.local import runner
from tests.bots.kit.conftest import GOOD, ILLEGAL_ONCE
from tests.bots.kit.inprocess import play_tables_here

BOT = """\
from bots.sdk import Bot

class Risky(Bot):
    def act(self, request):
        if request.rng.random() < self.parameters["risk"]:
            return request.legal[-1]
        return min(request.legal, key=lambda card: "23456789TJQKA".find(card[0]))

Risky().run()
"""
MANIFEST = 'name = "risky"\nruntime = "python/1"\nentry_point = "main.py"\n\n[parameters]\n'
RISK = "risk = { default = 0.9, least = 0, most = 1 }\n"


@pytest.fixture
def risky(tmp_path):
    folder = tmp_path / "risky"
    folder.mkdir()
    (folder / "main.py").write_text(BOT)
    (folder / "rensho.toml").write_text(MANIFEST + RISK)
    return folder


@pytest.fixture
def small_blocks(monkeypatch):
    for module in ("tune", "gauntlet"):
        monkeypatch.setattr(f"bots.kit.local.{module}.BLOCK_BOARDS", {"deal": 2, "game": 1})


def result(rensho, *words, status=0):
    found, out, err = rensho(*words, "--no-sandbox", "--json")
    assert (found, err) == (status, "")
    return json.loads(out)


def test_param_varies_the_side_it_names(rensho, risky):
    play = ("play", risky, risky, "--boards", 3)
    plain = result(rensho, *play)
    both = result(rensho, *play, "--param", "risk=0.1", "--param", "2:risk=0.1")
    second = result(rensho, *play, "--param", "2:risk=0.1")
    hashes = [[side["bots"][0]["sha256"] for side in found["sides"]] for found in (plain, both, second)]
    (default, _), (low, _), _ = hashes
    assert hashes == [[default, default], [low, low], [default, low]]
    assert second["sides"][1]["side"] == f"{risky} #2 (risk=0.1)"
    assert plain["record_sha256s"] != both["record_sha256s"]


def test_compare_tells_values_of_one_bot_apart(rensho, risky):
    found = result(rensho, "compare", risky, risky, "--param", "risk=0", "--cap", 20)
    assert found["comparison"]["boards"] == 20


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("play", "BOT", "BOT", "--param", "3:risk=1"), "--param 3:risk=1: there is no side 3, only 1 to 2"),
        (("play", "BOT", "BOT", "--param", "risk=2"), "risk may be 0 to 1, not 2"),
        (("play", "house:greedy", "BOT", "--param", "risk=1"), "it has none: list them below [parameters]"),
        (("tune", "house:greedy", "--against", "house:rules"), "house:greedy has no parameters: list them"),
        (("tune", "BOT", "--against", "house:rules", "--only", "rsk"), "--only rsk: "),
        (("tune", "BOT", "--against", "house:rules", "--blocks", "1"), "--blocks 1: give a number from 2 to"),
        (("tune", "BOT", "--against", "house:rules", "--cap", "1"), "the cap must be 20 boards or more"),
        (("gauntlet", "BOT", "--against", "house:rules", "house:rules"), "names house:rules 2 times"),
        (("gauntlet", "BOT", "--against", "nowhere"), "there is no bot at 'nowhere'"),
        (("gauntlet", "BOT", "--against", "house:rules", "--boards", "0"), "--boards 0: give a number"),
        (("gauntlet", "BOT", "--against", "house:rules", "--state", __file__), "no rensho-gauntlet/1 file"),
    ],
)
def test_bad_input_is_one_line(rensho, risky, words, complaint):
    status, out, err = rensho(*(risky if word == "BOT" else word for word in words))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


def test_tune_finds_a_better_value_and_goes_on_where_it_was_stopped(
    rensho, risky, small_blocks, tmp_path, monkeypatch
):
    words = ("tune", risky, "--against", "house:greedy", "house:random", "--blocks", 4, "--cap", 20)
    whole = result(rensho, *words, "--state", tmp_path / "whole.json")
    assert whole["blocks"] == 4
    (risk,) = whole["parameters"]
    assert risk["interval_95"][0] <= risk["best"] <= risk["interval_95"][1]
    assert whole["test"]["boards"] == 20

    played = 0

    def stop_after_five_tables(*arguments, **options):
        nonlocal played
        for table in play_tables_here(*arguments, **options):
            played += 1
            if played > 20:
                raise KeyboardInterrupt
            yield table

    state = tmp_path / "stopped.json"
    with monkeypatch.context() as stopping:
        stopping.setattr(runner, "play_tables", stop_after_five_tables)
        stopped = result(rensho, *words, "--state", state, status=130)
    assert (stopped["interrupted"], stopped["blocks"]) == (True, 2)
    again = result(rensho, *words, "--state", state)
    assert again == whole
    assert json.loads(state.read_text()) == json.loads((tmp_path / "whole.json").read_text())
    # Nothing is left to play: the answer comes from the file.
    monkeypatch.setattr(runner, "play_tables", None)
    assert result(rensho, *words, "--state", state) == whole


def test_the_answer_is_in_words_with_the_line_to_write(rensho, risky, small_blocks, monkeypatch):
    monkeypatch.setattr("bots.kit.local.tune.POINTS", 2)
    words = ("tune", risky, "--against", "house:random", "--blocks", 4, "--cap", 20, "--difference", "1.5")
    status, out, err = rensho(*words, "--no-sandbox")
    assert (status, err) == (0, "")
    assert "95 % interval" in out
    assert "than the defaults of" in out


def test_a_state_of_other_bots_is_refused(rensho, risky, small_blocks, tmp_path):
    words = ("gauntlet", risky, "--against", "house:random", "--boards", 2, "--state", tmp_path / "state")
    result(rensho, *words)
    (risky / "main.py").write_text(BOT + "\n# changed\n")
    status, _, err = rensho(*words)
    assert status == 2
    assert "belongs to another run: its bundle of BOT is" in err
    status, _, err = rensho(*words, "--seed", "other")
    assert (status, "its seed is" in err) == (2, True)


def test_gauntlet_ranks_the_field_and_names_faults(rensho, bot, small_blocks, tmp_path):
    faulty = bot(ILLEGAL_ONCE, "faulty.py")
    words = ("gauntlet", "house:greedy", "--against", "house:rules", "house:random", faulty)
    state = ("--state", tmp_path / "state.json")
    result(rensho, *words, "--boards", 4, *state)
    found = result(rensho, *words, "--boards", 12, *state)
    assert found == result(rensho, *words, "--boards", 12)
    assert found["boards"] == 12
    lines = {line["opponent"]: line for line in found["opponents"]}
    assert [line["mean"] for line in found["opponents"]] == sorted(line["mean"] for line in lines.values())
    assert lines["house:random"]["ranks"][1] == 3
    assert lines["house:rules"]["ranks"][0] == 1
    assert lines[str(faulty)]["opponent_faults"]["ILLEGAL_ACTION"] > 0
    assert lines["house:rules"]["faults"] == {}
    assert found["mean"] == pytest.approx(sum(line["mean"] for line in lines.values()) / 3)
    _, out, _ = rensho(*words, "--boards", 12, *state, "--no-sandbox")
    assert "ILLEGAL_ACTION" in out
    assert "Against the field: " in out


@pytest.mark.slow
def test_killed_in_the_middle_it_loses_the_block_at_hand_alone(rensho, bot, tmp_path):
    state = tmp_path / "state.json"
    words = ("gauntlet", bot(GOOD), "--against", "house:greedy", "--boards", 60, "--state", state)
    command = [sys.executable, "-m", "bots.kit.start", *map(str, words), "--no-sandbox"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not state.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    kept = json.loads(state.read_text())["blocks"]
    assert kept
    found = result(rensho, *words)
    assert json.loads(state.read_text())["blocks"][: len(kept)] == kept
    assert found == result(rensho, *words[:-2])
