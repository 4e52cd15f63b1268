"""Numbers as tables print them."""

from bots.kit.display.console import console_for
from bots.kit.display.formatting import numbers_text
from bots.kit.display.standings import standings_print


def test_numbers_of_a_column_have_as_many_digits_after_the_point():
    assert numbers_text(["0", "268", "319/2"]) == ["0.000", "268.000", "159.500"]
    assert numbers_text(["0", "268"]) == ["0", "268"]
    assert numbers_text(["1/3", None, "n/a"]) == ["0.333", "", "n/a"]


def test_standings_align_the_points_of_a_column(capsys):
    def row(rank, score):
        values = {"match_points": rank, "board_score": score}
        names = {"entry": str(rank), "bot": f"b{rank}", "player": "p", "status": "entered"}
        return {**names, "rank": rank, "values": values, "decided_by": None}

    event = {"scoring": "match_points", "tie_breaks": ["board_score"]}
    rows = [row(1, "268"), row(2, "319/2"), row(3, "0")]
    standings_print(console_for(), event, [{"stage": 1, "state": "done", "rows": rows}])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line.split()[-1] for line in lines[1:]] == ["268.000", "159.500", "0.000"]
    assert len({line.index(".") for line in lines[1:]}) == 1
