"""Forfeits follow from the faults in a record and the fault policy: none is given, and none is missing."""

from __future__ import annotations

import pytest

from league.verify.conduct import conduct_disagreement

ILLEGAL, LATE, CRASHED, PROTOCOL = "ILLEGAL_ACTION", "OUT_OF_TIME", "CRASHED", "PROTOCOL"
Acts = list[str | None]


@pytest.mark.parametrize(
    ("acts", "has_forfeited", "policy"),
    [
        ([None, None], False, "substitute"),
        ([], False, "strict"),
        ([ILLEGAL, None, ILLEGAL, LATE, None], False, "substitute"),
        ([ILLEGAL, None, ILLEGAL, LATE, PROTOCOL, PROTOCOL], True, "substitute"),
        ([None, CRASHED, CRASHED], True, "substitute"),
        ([None, LATE, LATE], True, "substitute"),
        ([None, LATE, LATE], False, "substitute"),
        ([None, ILLEGAL, ILLEGAL], True, "strict"),
        ([None, None, PROTOCOL], True, "strict"),
        ([None, PROTOCOL], True, "substitute"),
    ],
)
def test_what_the_referee_does_is_no_disagreement(acts: Acts, has_forfeited: bool, policy: str) -> None:
    assert conduct_disagreement(acts, has_forfeited, policy, 3) == ""


@pytest.mark.parametrize(
    ("acts", "has_forfeited", "policy", "refusal"),
    [
        ([None, None], True, "substitute", "no forfeit"),
        ([], True, "substitute", "no forfeit"),
        ([None, ILLEGAL, None], True, "substitute", "no forfeit"),
        ([LATE, None], True, "substitute", "no forfeit"),
        ([ILLEGAL] * 4, False, "substitute", "does not"),
        ([ILLEGAL] * 4 + [None], True, "substitute", "not decide"),
        ([ILLEGAL] * 4 + [LATE], True, "substitute", "not decide"),
        ([CRASHED], False, "substitute", "does not"),
        ([CRASHED, None], True, "substitute", "not decide"),
        ([ILLEGAL], False, "strict", "does not"),
        ([ILLEGAL, None], True, "strict", "not decide"),
        (["OVER_MEMORY", "CRASHED"], True, "substitute", "not decide"),
    ],
)
def test_what_the_policy_does_not_give_is_named(
    acts: Acts, has_forfeited: bool, policy: str, refusal: str
) -> None:
    assert refusal in conduct_disagreement(acts, has_forfeited, policy, 3)
