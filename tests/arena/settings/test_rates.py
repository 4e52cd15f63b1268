"""How many requests are taken: from the environment, or one sentence that says what is wrong."""

from __future__ import annotations

import pytest

from arena.settings.rates import DEFAULT_RATES, rates_of


def test_what_is_not_named_keeps_its_default() -> None:
    assert rates_of({}) == dict(DEFAULT_RATES)
    assert rates_of({"RENSHO_RATE_USER": "5/s", "RENSHO_RATE_TOKENS": ""}) == {**DEFAULT_RATES, "user": "5/s"}


@pytest.mark.parametrize("text", ["many", "0/min", "10", "10/fortnight", "-1/s", "1/s; drop"])
def test_what_is_no_rate_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(SystemExit, match=r"RENSHO_RATE_USER=.*1200/min"):
        rates_of({"RENSHO_RATE_USER": text})


def test_a_slip_in_the_name_is_refused() -> None:
    with pytest.raises(SystemExit, match="RENSHO_RATE_USERS "):
        rates_of({"RENSHO_RATE_USERS": "5/s"})
