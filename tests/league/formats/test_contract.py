"""What holds for every format on offer: its description, its refusals, its answers as plain values."""

import json

import pytest

from league.display import winner_of
from league.errors import FormatError
from league.formats import all_formats, offered_formats
from tests.league.formats.simulated import check_round, met, names, play

FORMATS = offered_formats()
KINDS = {"integer": int, "boolean": bool}


def field_for(format_):
    """Sides, and seats of a side, that the format takes."""
    return {"sides": 2, "per_side": 2 if format_.mixes_partners else 1}


def test_the_formats_there_are():
    assert list(FORMATS) == [
        "double_elimination",
        "groups",
        "heats",
        "movement",
        "round_robin",
        "single_elimination",
        "swiss",
    ]
    assert set(all_formats()) - set(FORMATS) == {"given"}


@pytest.mark.parametrize("key", FORMATS)
def test_options_are_described_and_their_defaults_accepted(key):
    format_ = FORMATS[key]
    described = format_.option_descriptions()
    for name, kind, default, meaning, least, most in described:
        assert kind in KINDS
        assert meaning
        if kind == "boolean":
            assert (least, most) == (None, None)
        else:
            for outside in (least - 1, most + 1):
                with pytest.raises(FormatError, match=name):
                    format_.validate({name: outside}, **field_for(format_))
        assert default is None or isinstance(default, KINDS[kind])
        if default is not None:
            format_.validate({name: default}, **field_for(format_))
        with pytest.raises(FormatError, match=name):
            format_.validate({name: "1"}, **field_for(format_))
        with pytest.raises(FormatError, match=name):
            format_.validate({name: None}, **field_for(format_))
    with pytest.raises(FormatError, match=f"'ruonds' of {key}"):
        format_.validate({"ruonds": 1}, **field_for(format_))


@pytest.mark.parametrize("key", FORMATS)
@pytest.mark.parametrize("count", [4, 9])
def test_a_stage_is_played_to_its_end_and_shown_at_every_step_in_plain_values(key, count):
    format_ = FORMATS[key]
    stage, left_before = play(key, names(count), seed=count, leave=0.03, void=0.05, **fields_of(format_))
    for end, left in enumerate(left_before):
        so_far = stage._replace(rounds=stage.rounds[:end], left=left)
        check_round(format_.next_round(so_far), so_far)
        check_display(format_, so_far)
    check_display(format_, stage)
    progress = format_.progress(stage)
    assert progress is None or set(progress) == set(stage.entries)
    grouped = [entry for group in format_.groups(stage) for entry in group]
    assert sorted(grouped) in ([], sorted(stage.entries))


def fields_of(format_):
    return {"per_side": 2} if format_.mixes_partners else {}


def check_display(format_, stage):
    display = format_.display(stage)
    assert json.loads(json.dumps(display))
    slots = [slot for section in display.sections for column in section.columns for slot in column.slots]
    at = {(slot.round, slot.fixture): slot for slot in slots if slot.round is not None}
    for number, drawn in enumerate(stage.rounds, 1):
        for place, fixture in enumerate(drawn, 1):
            if (number, place) in at:  # of a match that was replayed the last fixture is shown
                slot = at[number, place]
                assert set(fixture.entries) <= set(slot.entries)
                if display.kind != "bracket":
                    assert slot.winner == winner_of(fixture)
    if display.kind != "bracket":
        assert len(at) == sum(map(len, stage.rounds))


@pytest.mark.parametrize("key", [key for key in FORMATS if not FORMATS[key].needs_results])
def test_a_format_without_results_draws_on_while_rounds_are_played(key):
    format_ = FORMATS[key]
    stage, _ = play(key, names(6), seed=1, **fields_of(format_))
    open_ = stage._replace(
        rounds=tuple(tuple(f._replace(totals=None) for f in drawn) for drawn in stage.rounds[:1])
    )
    second = tuple(fixture.entries for fixture in stage.rounds[1])
    assert format_.next_round(open_) == second


@pytest.mark.parametrize("key", [key for key in FORMATS if FORMATS[key].repeats])
def test_a_pass_is_the_same_again(key):
    """A format that repeats draws its second pass from no rounds at all, so it must not need results."""
    format_ = FORMATS[key]
    assert not format_.needs_results
    first, _ = play(key, names(5), seed=1, **fields_of(format_))
    second, _ = play(key, names(5), seed=2, **fields_of(format_))
    assert [[f.entries for f in d] for d in first.rounds] == [[f.entries for f in d] for d in second.rounds]
    assert len(met(first)) == len(met(second))
