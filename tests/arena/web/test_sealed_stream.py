"""While a board set is open no stream tells how anything on it went."""

from __future__ import annotations

import pytest

from tests.arena.web.sealed import half_played_event
from tests.arena.web.streams import first_events


@pytest.mark.django_db(transaction=True)
def test_the_stream_tells_no_more_than_a_version() -> None:
    events = first_events(half_played_event(), count=1)
    assert len(events) == 1
    assert set(events[0]) == {"version"}
    assert len(events[0]["version"]) == 16
