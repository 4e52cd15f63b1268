"""Whatever is changed in a record: it is refused with a RecordError, unless it follows from nothing in it."""

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import RecordError, replay
from tests import chance
from tests.chance import examples
from tests.engine.records import DEALS, GAME, joined, lines_of


def spoilt(value):
    """Other values of the same kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, str(value), None, float(value)]
    if isinstance(value, str):
        return [value + "x", "", None, 0]
    if isinstance(value, list):
        swapped = value[1:2] + value[:1] + value[2:]
        return [value[:-1], [*value, 1], None, {}, *([swapped] if len(value) > 1 else [])]
    if isinstance(value, dict):
        others = [
            {k: spoil} | {q: v for q, v in value.items() if q != k}
            for k in value
            for spoil in spoilt(value[k])[:2]
        ]
        return [*others, {}, None, []]
    return [1, "x"]


def spoilt_lines(line):
    """The line with one field changed, missing or added, in every way of ``spoilt``."""
    for name, value in line.items():
        for other in spoilt(value):
            yield name, {**line, name: other}
        yield name, {k: v for k, v in line.items() if k != name}
    yield "more", {**line, "more": 1}


def is_free(line, name):
    """Whether nothing else in the record determines this field, so that another value is as good.

    These are the bots, the options no deal of the record met, the verdicts of a seat's later faults and
    which of the seats with a fault forfeited: that follows from the table's fault policy.
    """
    later_fault = line["e"] == "act" and name == "verdict" and line.get("verdict") == "CRASHEDx"
    free_forfeit = (
        name == "forfeited" and line["e"] == "end" and str(line.get(name)) in possible_forfeits(line)
    )
    return later_fault or free_forfeit or (line["e"] == "table" and name in ("bots", "ruleset", "preset"))


def possible_forfeits(end):
    """Every choice of seats with a fault, as text: 2.0 equals 2 but is no seat."""
    faulty = [int(seat) for seat, verdict in end["verdicts"].items() if verdict != "OK"]
    return {str(list(seats)) for count in range(len(faulty) + 1) for seats in combinations(faulty, count)}


@pytest.mark.parametrize("data", [DEALS, GAME], ids=["deals", "game"])
def test_any_field_of_any_line_changed_is_refused(data):
    lines = lines_of(data)
    every = {}
    for at, line in enumerate(lines):
        every.setdefault((line["e"], tuple(line)), []).append(at)
    checked = {at for places in every.values() for at in (places[0], places[-1], places[len(places) // 2])}
    for at in sorted(checked):
        for name, line in chance.some(list(spoilt_lines(lines[at]))):
            if name == "e" or not is_free(line, name):
                with pytest.raises(RecordError) as refused:
                    replay(joined([*lines[:at], line, *lines[at + 1 :]]))
                assert refused.value.line >= 1
                assert str(refused.value).startswith(f"line {refused.value.line}: ")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


PLACES = [
    (at, name)
    for lines in [lines_of(DEALS)]
    for at in (0, 1, 2, 3, 4, 12, len(lines) - 2, len(lines) - 1)
    for name in (*lines[at], "by", "verdict", "more")
]


@examples(300)
@given(st.sampled_from(PLACES), json_values, st.booleans())
@example((len(lines_of(DEALS)) - 1, "forfeited"), [4], False)
@example((len(lines_of(DEALS)) - 1, "forfeited"), [2, 4], False)
@example((len(lines_of(DEALS)) - 1, "forfeited"), [4, 2], False)
@example((len(lines_of(DEALS)) - 1, "forfeited"), [1], False)
@example((len(lines_of(DEALS)) - 1, "forfeited"), [4.0], False)
def test_whatever_a_line_says_nothing_but_a_record_error_comes_of_it(place, value, decks_from_seed):
    lines = lines_of(DEALS)
    at, name = place
    if name in lines[at] and str(value) == str(lines[at][name]):
        return
    if name == "seed" and not decks_from_seed:
        return  # nothing follows from a seed if the decks stand beside it
    is_another_good_one = is_free({**lines[at], name: value}, name)
    lines[at][name] = value
    if is_another_good_one and lines[at]["e"] == "end":
        assert list(replay(joined(lines)).forfeited) == value
    elif not is_another_good_one:
        with pytest.raises(RecordError):
            replay(joined(lines), decks_from_seed=decks_from_seed)


@examples(200)
@given(st.binary(max_size=3), st.integers(0, len(DEALS)), st.integers(0, 3))
def test_bytes_put_in_or_taken_out_are_refused_with_a_record_error(put_in, at, taken_out):
    spoilt_data = DEALS[:at] + put_in + DEALS[at + taken_out :]
    try:
        replayed = replay(spoilt_data)
    except RecordError:
        return
    assert len(replayed.boards) == 2
