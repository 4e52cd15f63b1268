"""Tables on narrow screens and in files: no id is ever cut."""

import pytest
from rich.text import Text

from bots.kit.display.console import console_for, print_table, progress_bar, text_table
from bots.kit.display.crosstable import crosstable_print
from bots.kit.display.formatting import count_text, duration_text

ID = "7k2mq9xw4trb"


def printed(capsys, console, name):
    rows = [(ID, Text(name), "kakeya4.nakayoshi", "open", "2027-05-01 18:00")]
    print_table(console, text_table(("id", "name", "preset", "state", "since"), rows, fold={1}))
    return capsys.readouterr().out


def test_without_a_terminal_progress_is_a_line_now_and_then(capsys, monkeypatch):
    moments = iter([0.0, 5.0, 61.0, 90.0, 125.0])
    monkeypatch.setattr("bots.kit.display.console.time.monotonic", lambda: next(moments))
    with progress_bar("blocks", 40, counts_bytes=False, has_lines=True) as advance:
        for _ in range(4):
            advance(3)
    assert capsys.readouterr().err.splitlines() == ["rensho: blocks: 6 of 40", "rensho: blocks: 12 of 40"]


@pytest.mark.parametrize("width", [20, 80, 120])
def test_an_id_is_whole_however_narrow_the_screen_is(capsys, width):
    console = console_for()
    console.width = width
    console._force_terminal = True
    out = printed(capsys, console, "a cup with a name that is long " * 3)
    assert ID in out
    assert "kakeya4.nakayoshi" in out
    assert "…" not in out


def test_in_a_file_every_row_is_a_line(capsys):
    out = printed(capsys, console_for(), "a cup with a name that is long " * 10)
    assert len(out.splitlines()) == 2
    assert ID in out


def crosstable(size):
    cell = {"mean": 0.5, "boards": 8, "low": 0.25, "high": 1.25, "mark": "*", "match_points": 2}
    return {
        "stage": 1,
        "rows": [
            {
                "entry": str(row),
                "bot": f"b{row}",
                "player": "p",
                "versions": [],
                "against": [{"entry": str(other), **cell} for other in range(size) if other != row],
            }
            for row in range(size)
        ],
    }


@pytest.mark.parametrize(("size", "is_square"), [(6, True), (12, False)])
def test_a_crosstable_that_does_not_fit_the_screen_has_a_line_for_each_pair(capsys, size, is_square):
    console = console_for()
    console.width = 80
    console._force_terminal = True
    crosstable_print(console, crosstable(size))
    lines = capsys.readouterr().out.splitlines()
    assert all(len(Text.from_ansi(line).plain) <= 80 for line in lines)
    assert len(lines) == (size if is_square else size * (size - 1)) + 2


def test_numbers_have_their_plurals_and_times_their_units():
    assert [count_text(number, "fault") for number in (0, 1, 2)] == ["0 faults", "1 fault", "2 faults"]
    assert [duration_text(seconds) for seconds in (5, 360, 9000)] == ["5 s", "6 min", "2.5 h"]
