"""How many may listen: in all, of one account, from one address."""

from __future__ import annotations

from typing import Any

import pytest

from arena.common.errors import Unavailable
from arena.settings.streams import StreamLimits, stream_limits_of
from arena.streams.slots import Caller, StreamSlots


class Listener:
    def __init__(self, account: int | None, address: str) -> None:
        self.caller = Caller(account, address)
        self.joined_at = 0.0
        self.has_begun = True


def taken(places: StreamSlots, account: int | None, address: str) -> Listener:
    listener = Listener(account, address)
    places.take(listener)
    return listener


def refusal(places: StreamSlots, account: int | None, address: str) -> tuple[str, int]:
    with pytest.raises(Unavailable) as refused:
        taken(places, account, address)
    assert refused.value.retry_s > 0
    assert len(refused.value.message) < 500
    return refused.value.code, refused.value.extra["limit"]


def test_an_account_an_address_and_all_have_a_limit(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=5, per_account=2, per_address=3)
    places = StreamSlots()
    first = taken(places, 7, "10.0.0.1")
    taken(places, 7, "10.0.0.2")
    assert refusal(places, 7, "10.0.0.3") == ("too_many_streams", 2)
    taken(places, 8, "10.0.0.1")
    taken(places, None, "10.0.0.1")
    assert refusal(places, None, "10.0.0.1") == ("too_many_streams", 3)
    # Signed in or not: an address is one.
    assert refusal(places, 9, "10.0.0.1") == ("too_many_streams", 3)
    taken(places, None, "10.0.0.4")
    assert refusal(places, None, "10.0.0.5") == ("too_many_listeners", 5)
    places.leave(first)
    places.leave(first)
    taken(places, 7, "10.0.0.5")


def test_a_stream_that_never_began_loses_its_place(settings: Any) -> None:
    settings.STREAMS = StreamLimits(total=1)
    now = [0.0]
    places = StreamSlots(begin_s=10, clock=lambda: now[0])
    never = Listener(None, "10.0.0.1")
    never.has_begun = False
    places.take(never)
    assert refusal(places, None, "10.0.0.2") == ("too_many_listeners", 1)
    now[0] = 11
    assert len(places) == 0
    taken(places, None, "10.0.0.2")


def test_one_address_takes_no_more_than_half_and_a_hall_of_300_gets_in() -> None:
    limits = StreamLimits()
    assert 300 < limits.per_address <= limits.total / 2
    assert stream_limits_of({}) == limits


@pytest.mark.parametrize(
    "environment", [{"RENSHO_STREAMS": "many"}, {"RENSHO_STREAMS_PER_ADRESS": "3"}, {"RENSHO_STREAMS": "-1"}]
)
def test_a_setting_that_is_wrong_is_named(environment: dict[str, str]) -> None:
    with pytest.raises(SystemExit) as refused:
        stream_limits_of(environment)
    assert next(iter(environment)) in str(refused.value)


def test_settings_are_taken() -> None:
    given = {"RENSHO_STREAMS": "10", "RENSHO_STREAMS_PER_ACCOUNT": "1", "RENSHO_STREAMS_PER_ADDRESS": ""}
    assert stream_limits_of(given) == StreamLimits(total=10, per_account=1)
