"""Names that can be chosen at sign-up, and names that the eye takes for one another."""

from __future__ import annotations

import pytest

from arena.accounts.handles import handle_problem, name_key


@pytest.mark.parametrize("name", ["aya", "Kita-2", "a1", "x" * 26, "9lives", "under_score"])
def test_ordinary_names_can_be_chosen(name: str) -> None:
    assert handle_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *("", "a", "x" * 27, "a b", "-aya", "_aya", "aya\n", "aya.b", "a@b", "../me"),
        *(
            "<script>",
            "\N{CYRILLIC SMALL LETTER A}ya",
            "aya\N{RIGHT-TO-LEFT OVERRIDE}",
            "ay\N{ZERO WIDTH JOINER}a",
        ),
        *("\N{FULLWIDTH LATIN SMALL LETTER A}ya", "a\0ya", "絵札", "\N{LATIN SMALL LETTER DOTLESS I}ra"),
        *("house", "House-greedy", "gone-1234", "Admin", "staff", "ME"),
    ],
)
def test_names_of_other_scripts_or_of_the_site_cannot(name: str) -> None:
    assert handle_problem(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("aya", "AYA"),
        ("Kira", "Klra"),
        ("kira", "k1ra"),
        ("bot0", "botO"),
        ("a-b", "a_b"),
        ("corn", "com"),
        ("vv", "w"),
    ],
)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_other_names_are_two() -> None:
    names = ["aya", "ben", "chie", "kita", "kite", "a-b", "ab"]
    assert len({name_key(name) for name in names}) == len(names)
