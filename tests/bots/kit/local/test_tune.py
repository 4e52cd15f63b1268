"""`rensho play --param`, `rensho tune` and `rensho gauntlet`: parameters, fields, and going on."""

import json
import re
import subprocess
import sys
import time
from collections import Counter

import pytest

from bots.kit.local import runner
from bots.kit.local.tune_text import TuneResult, print_tune_result
from league.sequential import SequentialTest
from referee.parameters import Parameter
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
    return rensho.json(*words, "--no-sandbox", status=status)


def interrupt(*arguments, **options):
    """Stands for playing tables."""
    raise KeyboardInterrupt
    yield


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


TUNE = ("tune", "BOT", "--against", "house:rules")
GAUNTLET = ("gauntlet", "BOT", "--against", "house:rules")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("play", "BOT", "BOT", "--param", "3:risk=1"), "--param 3:risk=1: "),
        (("play", "BOT", "BOT", "--param", "risk=2"), "risk"),
        (("play", "house:greedy", "BOT", "--param", "risk=1"), "[parameters]"),
        (("tune", "house:greedy", "--against", "house:rules"), "house:greedy"),
        ((*TUNE, "--only", "rsk"), "--only rsk: "),
        ((*TUNE, "--blocks", "1"), "--blocks 1: "),
        ((*TUNE, "--cap", "1"), "20 boards"),
        ((*TUNE, "--difference", "-1"), "-1.0"),
        ((*GAUNTLET, "house:rules"), "house:rules"),
        (("gauntlet", "BOT", "--against", "nowhere"), "'nowhere'"),
        ((*GAUNTLET, "--boards", "0"), "--boards 0: "),
        ((*GAUNTLET, "--state", __file__), (__file__, "rensho-gauntlet/1")),
    ],
)
def test_bad_input_is_one_line(rensho, risky, words, names):
    rensho.refuses(*(risky if word == "BOT" else word for word in words), names=names)


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


def test_tune_with_a_larger_cap_counts_no_board_twice(rensho, risky, small_blocks, tmp_path):
    words = ("tune", risky, "--against", "house:greedy", "house:random", "--blocks", 2, "--difference", 0.01)
    whole, state = tmp_path / "whole.json", tmp_path / "state.json"
    fresh = result(rensho, *words, "--cap", 25, "--state", whole)
    assert fresh["test"]["boards"] == 25

    assert result(rensho, *words, "--cap", 21, "--state", state)["test"]["boards"] == 21
    assert result(rensho, *words, "--cap", 25, "--state", state) == fresh
    assert json.loads(state.read_text()) == json.loads(whole.read_text())


def test_tune_tells_of_faults_and_forfeits_and_with_which_values(rensho, risky, bot, small_blocks, tmp_path):
    source = BOT.replace(
        "        if request", "        assert self.parameters['risk'] < 0.8\n        if request"
    )
    (risky / "main.py").write_text(source)
    faulty = bot(ILLEGAL_ONCE, "faulty.py")
    state = ("--state", tmp_path / "state.json")
    words = ("tune", risky, "--against", "house:random", faulty, "--blocks", 4, "--cap", 20, *state)
    found = result(rensho, *words, status=1)
    assert found["faults"]["CRASHED"] > 0
    assert found["forfeited_tables"] > 0
    for name in ("faults", "forfeited_tables"):
        parts = [part[name] for part in found["faulty_settings"]]
        assert found[name] == (sum(parts) if name == "forfeited_tables" else summed(parts))
    assert {"risk": 0.9} in [part["values"] for part in found["faulty_settings"]]
    assert all(part["values"]["risk"] >= 0.8 for part in found["faulty_settings"])
    random, opponent = found["opponents"]
    assert (random["opponent"], random["opponent_faults"]) == ("house:random", {})
    assert opponent["opponent"] == str(faulty)
    assert opponent["opponent_faults"]["ILLEGAL_ACTION"] > 0
    assert random["forfeited_tables"] + opponent["forfeited_tables"] == found["forfeited_tables"]

    out = rensho.prints(*words, "--no-sandbox", status=1)
    for text in (
        f"{risky}: {found['faults']['CRASHED']} CRASHED",
        f"{risky}: {found['forfeited_tables']} ",
        "risk = 0.",
        f"{faulty}: {opponent['opponent_faults']['ILLEGAL_ACTION']} ILLEGAL_ACTION",
        "--param NAME=VALUE",
    ):
        assert text in out


@pytest.mark.parametrize(
    ("low", "high", "is_hardly_known"), [(0.01, 0.4, True), (0.45, 1.0, False), (0.01, 0.05, False)]
)
def test_what_is_hardly_known_is_measured_on_the_scale_searched(capsys, low, high, is_hardly_known):
    parameter = Parameter("noise", 0.5, 0.01, 1.0, log=True)
    values = tuple({"noise": value} for value in (low, low, high))
    test = SequentialTest(0.2, 0.05, 0.05, 100)
    print_tune_result(
        TuneResult([parameter], 9, 9, values, None, test, ()), "kita", "nowhere", is_interrupted=False
    )
    assert ("uncertain" in capsys.readouterr().out) == is_hardly_known


def summed(counts):
    return dict(sum(map(Counter, counts), Counter()))


def test_the_answer_is_in_words(rensho, risky, small_blocks, monkeypatch):
    monkeypatch.setattr("bots.kit.local.tune.POINTS_PER_BLOCK", 2)
    words = ("tune", risky, "--against", "house:random", "--blocks", 4, "--cap", 20, "--difference", "1.5")
    assert "95%" in rensho.prints(*words, "--no-sandbox")


def test_a_state_of_another_run_is_refused_by_what_differs(rensho, risky, small_blocks, tmp_path):
    words = ("gauntlet", risky, "--boards", 2, "--state", tmp_path / "state", "--against")
    result(rensho, *words, "house:random")
    rensho.refuses(*words, "house:random", "--option", "debt=false", names=("debt", "true", "false"))
    rensho.refuses(*words, "house:random", "--seed", "other", names="seed")
    rensho.refuses(*words, "house:rules", names=("house:random", "house:rules"))
    (risky / "main.py").write_text(BOT + "\n# changed\n")
    rensho.refuses(*words, "house:random", names="BOT")
    (risky / "rensho.toml").write_text(MANIFEST + RISK + "calm = { default = 1, least = 0, most = 2 }\n")
    words = ("tune", risky, "--against", "house:random", "--blocks", 4, "--cap", 20, "--difference", 3)
    words = (*words, "--state", tmp_path / "tune", "--only")
    result(rensho, *words, "risk")
    rensho.refuses(*words, "calm", names="parameter calm")


DAMAGES = [
    lambda block: {},
    lambda block: 5,
    lambda block: None,
    lambda block: [],
    lambda block: {**block, "scores": None, "opponents": None},
    lambda block: {**block, "boards": 1, "scores": [[1], [1, 2], [1], [1]]},
    lambda block: json.loads(json.dumps(block).replace('"forfeits": 0', '"forfeits": null')),
    lambda block: json.loads(json.dumps(block).replace('"faults": {}', '"faults": {"NONE": 1}', 1)),
    lambda block: json.loads(re.sub(r'("scores": \[+)[^],]+', r'\1"1/0"', json.dumps(block))),
]
DAMAGED_VALUES = [
    lambda block, value=value: {**block, "values": [value, *block["values"][1:]]}
    for value in (None, 7, "0.5", {}, {"rsk": 0.5}, {"risk": "0.5"}, {"risk": 1.5})
]


@pytest.mark.parametrize(
    ("words", "damages"),
    [
        (("gauntlet", "--boards", 4), DAMAGES),
        (("tune", "--blocks", 2, "--cap", 20, "--difference", 3), DAMAGES + DAMAGED_VALUES),
    ],
)
def test_a_damaged_block_is_one_line(rensho, risky, small_blocks, tmp_path, words, damages):
    name, *options = words
    state = tmp_path / "state.json"
    words = (name, risky, "--against", "house:random", *options, "--state", state)
    result(rensho, *words)
    whole = json.loads(state.read_text())
    first, second, *others = whole["blocks"]
    for damage in damages:
        state.write_text(json.dumps({**whole, "blocks": [first, damage(second), *others]}))
        rensho.refuses(*words, "--no-sandbox", names=(str(state), f"rensho-{name}/1"))


@pytest.mark.parametrize(("before", "after"), [(3, 8), (1, 2), (5, 7)])
def test_gauntlet_with_more_boards_ends_like_one_run(rensho, small_blocks, tmp_path, before, after):
    words = ("gauntlet", "house:greedy", "--against", "house:rules", "house:random")
    whole, state = tmp_path / "whole.json", tmp_path / "state.json"
    fresh = result(rensho, *words, "--boards", after, "--state", whole)
    assert result(rensho, *words, "--boards", before, "--state", state)["boards"] == before
    assert result(rensho, *words, "--boards", after, "--state", state) == fresh
    assert json.loads(state.read_text()) == json.loads(whole.read_text())


def test_gauntlet_leaves_out_what_an_earlier_version_played_after_a_short_block(
    rensho, small_blocks, tmp_path
):
    words = ("gauntlet", "house:greedy", "--against", "house:rules", "--boards")
    state = ("--state", tmp_path / "state.json")
    short = result(rensho, *words, 3, *state)
    document = json.loads(state[1].read_text())
    document["blocks"] += [document["blocks"][0], document["blocks"][1]]
    state[1].write_text(json.dumps(document))
    assert result(rensho, *words, 3, *state) == short
    assert result(rensho, *words, 6, *state) == result(rensho, *words, 6)
    assert [block["boards"] for block in json.loads(state[1].read_text())["blocks"]] == [2, 2, 2]


def test_gauntlet_interrupted_at_a_short_block_has_its_boards_still(
    rensho, small_blocks, tmp_path, monkeypatch
):
    words = ("gauntlet", "house:greedy", "--against", "house:rules", "--state", tmp_path / "state.json")
    short = result(rensho, *words, "--boards", 1)

    monkeypatch.setattr(runner, "play_tables", interrupt)
    found = result(rensho, *words, "--boards", 8, status=130)
    assert found == {**short, "interrupted": True}


def test_gauntlet_interrupted_before_a_block_keeps_nothing(rensho, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "play_tables", interrupt)
    state = tmp_path / "state.json"
    words = ("gauntlet", "house:greedy", "--against", "house:rules", "--state", state, "--no-sandbox")
    assert len(rensho.prints(*words, status=130).splitlines()) == 2
    assert not state.exists()


def test_gauntlet_says_how_to_see_why_the_bot_fails(rensho, bot, small_blocks):
    words = ("--against", "house:random", "--boards", 4, "--no-sandbox")
    for path, is_faulty in ((bot(ILLEGAL_ONCE, "faulty.py"), True), ("house:greedy", False)):
        assert ("--record" in rensho("gauntlet", path, *words)[1]) == is_faulty


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
    assert "ILLEGAL_ACTION" in rensho(*words, "--boards", 12, *state, "--no-sandbox")[1]


@pytest.mark.full
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
