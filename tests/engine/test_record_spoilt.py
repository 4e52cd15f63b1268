"""Bytes put into a record or taken out of it: refused with a RecordError, or still a record of its boards."""

from hypothesis import given
from hypothesis import strategies as st

from engine import RecordError, replay
from tests.chance import examples
from tests.engine.records import DEALS


@examples(200)
@given(st.binary(max_size=3), st.integers(0, len(DEALS)), st.integers(0, 3))
def test_bytes_put_in_or_taken_out_are_refused_with_a_record_error(put_in, at, taken_out):
    spoilt_data = DEALS[:at] + put_in + DEALS[at + taken_out :]
    try:
        replayed = replay(spoilt_data)
    except RecordError:
        return
    assert len(replayed.boards) == 2
