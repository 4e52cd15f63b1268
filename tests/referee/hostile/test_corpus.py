"""The hostile corpus in every mode this machine gives: nothing gets out, nothing stays, nobody is touched."""

from __future__ import annotations

import ast
import functools
import warnings
from pathlib import Path

import pytest

from referee.sandbox import Level
from tests.referee.hostile import host, modes, threats
from tests.referee.hostile.case import BOTS, HELPERS, Expect
from tests.referee.hostile.corpus import CASES, HERE
from tests.referee.hostile.judge import judge
from tests.referee.hostile.modes import MODE_WALL_S, MODES, Mode, Outcome
from tests.referee.hostile.table import play

GIVEN = [mode for mode in MODES if not modes.refusal(mode)]
NOT_GIVEN = [mode for mode in MODES if modes.refusal(mode)]
TABLE_ROWS = range(1, 35)


def _each(given: list[Mode]) -> list[object]:
    return [
        pytest.param(
            mode,
            id=mode.name,
            marks=(
                pytest.mark.full,
                pytest.mark.timeout(MODE_WALL_S + 60),
                pytest.mark.xdist_group(f"hostile {mode.name}"),
                *([pytest.mark.sampled(12)] if number else []),
            ),
        )
        for number, mode in enumerate(given)
    ]


@functools.cache
def _played(mode: Mode, *bots: str) -> Outcome:
    return modes.play_mode(mode, *bots)


@functools.cache
def _chosen(session: pytest.Session, mode: Mode) -> list[str]:
    """Return the bots of a run of the tests; looking through all its tests takes a millisecond."""
    return sorted(
        item.callspec.params["bot"]
        for item in session.items
        if isinstance(item, pytest.Function)
        and item.function is test_it_is_contained
        and item.callspec.params["mode"] == mode
    )


@pytest.fixture
def bots(request: pytest.FixtureRequest, mode: Mode) -> list[str]:
    """Those of the corpus that this run of the tests is to look at in this mode."""
    return _chosen(request.session, mode)


@pytest.fixture
def played(mode: Mode, bots: list[str]) -> Outcome:
    """They play once; the tests of a mode are one group and run in one process."""
    return _played(mode, *bots)


@pytest.mark.parametrize("mode", _each(GIVEN))
def test_the_mode_reaches_its_level(mode: Mode, bots: list[str], played: Outcome) -> None:
    assert played.level == ("FULL" if mode.has_cgroup else "FULL1"), played.failures
    names = {(case["bot"], case["runtime"]) for case in played.cases}
    wanted = {(bot, "python/1") for bot in bots or HERE}
    if mode.has_cgroup:
        wanted |= {(bot, "several processes") for bot, _ in wanted if HERE[bot].several is not None}
    assert names == wanted


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", _each(GIVEN))
@pytest.mark.parametrize("bot", HERE)
def test_it_is_contained(bot: str, played: Outcome) -> None:
    problems = {case["runtime"]: case["problems"] for case in played.cases if case["bot"] == bot}
    assert problems
    assert not any(problems.values()), problems


@pytest.mark.full
@pytest.mark.timeout(MODE_WALL_S + 60)
def test_a_mode_that_cannot_be_had_says_why() -> None:
    for mode in NOT_GIVEN:
        warnings.warn(f"hostile corpus: {mode.name!r} was not played: {modes.refusal(mode)}", stacklevel=1)
        if not mode.is_root:
            outcome = modes.play_mode(mode, "--probe")
            assert outcome.level != "FULL"
            assert any("group" in failure for failure in outcome.failures)


@pytest.mark.full
def test_the_judge_sees_what_is_not_as_declared() -> None:
    wrong = CASES["crashes"]._replace(expect=Expect(tells={"nothing": "x"}))
    problems = judge(wrong, play(wrong), Level.FULL1, several=False)
    assert "seat 2 got CRASHED, expected OK" in problems
    assert "seat 2 forfeits" in problems
    assert "no word of 'nothing'" in problems


def test_what_a_table_leaves_is_named() -> None:
    nothing: frozenset[str] = frozenset()
    before = host.Host(nothing, frozenset({"3"}), nothing, nothing, nothing)
    after = before._replace(descriptors=frozenset({"4"}), groups=frozenset({"/sys/fs/cgroup/x"}))
    assert host.left(before, after) == ["descriptors left: 4", "groups left: /sys/fs/cgroup/x"]


def test_every_row_of_the_threat_table_has_its_bots() -> None:
    assert list(threats.ROWS) == list(TABLE_ROWS)
    rows = {row for case in CASES.values() for row in case.rows}
    assert rows == {number for number, row in threats.ROWS.items() if not row.tests}


def test_every_bot_is_declared_and_says_what_it_tries() -> None:
    found = {path.stem for path in BOTS.glob("*.py")} - {"__init__", *HELPERS}
    assert found == set(CASES)
    assert len(found) >= 75
    for case in CASES.values():
        assert ast.get_docstring(ast.parse((BOTS / f"{case.bot}.py").read_text())), case.bot


def test_the_page_on_threats_is_what_the_declarations_say() -> None:
    page = Path(__file__).parents[3] / "docs" / "threats.md"
    assert page.read_text() == threats.document(), "python -m tests.referee.hostile.threats > docs/threats.md"
