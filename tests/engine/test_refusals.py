"""Whatever is refused, the refusal is short, and shows its beginning and its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import RecordError, replay
from engine.errors import EngineError
from engine.games import all_games, game_named
from engine.refusals import QUOTED_CHARS, REFUSAL_CHARS, clipped, quoted
from tests.refusals import refusal

LONG = "\x01" * 100_000


@given(st.text(max_size=2000), st.integers(60, 600))
def test_a_clipped_text_begins_and_ends_as_the_whole(text: str, most: int) -> None:
    short = clipped(text, most)
    assert len(short) <= most
    assert short == text or (short[0] == text[0] and short[-1] == text[-1])


@given(
    st.one_of(
        st.text(max_size=300),
        st.binary(max_size=300),
        st.integers(),
        st.recursive(
            st.none() | st.text(max_size=99),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    )
)
def test_whatever_is_quoted_is_short(value: object) -> None:
    assert len(quoted(value)) <= 4 * QUOTED_CHARS


def test_values_that_python_itself_will_not_spell() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert quoted(10**10_000) == "a huge int"
    assert len(quoted(deep)) < 100


@pytest.mark.parametrize("game", sorted(all_games()))
def test_errors_of_the_rules_are_short(game: str) -> None:
    rules = game_named(game)
    preset = next(iter(rules.presets))
    for refused in (
        lambda: rules.parse_action(LONG),
        lambda: rules.ruleset(LONG),
        lambda: rules.ruleset(preset, {LONG: 1}),
        lambda: rules.ruleset(preset, {next(iter(rules.ruleset(preset).as_dict())): LONG}),
        lambda: game_named(LONG),
    ):
        assert len(str(refusal(EngineError, refused))) <= REFUSAL_CHARS


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 10_000,
        b"[" * 100_000,
        b'{"e":"table","format":"rensho-record/1","game":"' + b"g" * 60_000 + b'"}',
        b'{"e":"table","format":"rensho-record/1","game":"kakeya","rules_version":"' + b"1" * 60_000 + b'"}',
        b'{"e":' + b"9" * 10_000 + b"}",
    ],
)
def test_a_record_of_long_lines_is_refused_shortly(line: bytes) -> None:
    assert len(str(refusal(RecordError, replay, line + b"\n"))) <= REFUSAL_CHARS
