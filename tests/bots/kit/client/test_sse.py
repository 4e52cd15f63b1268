"""Streams of server-sent events: how they are read, and how they go on after a break."""

import pytest

from bots.kit.client import Client, ServerUnavailable, sse
from bots.kit.client.follow import follow
from bots.kit.client.sse import parse_events
from bots.kit.errors import EnvironmentFailure
from tests.bots.kit.server.peer import page, peer, problem

TEXT = (
    "retry: 50\r\n\r\n: hello\n"
    'id: 7\nevent: round.closed\ndata: {"a":\ndata: "é\u2028"}\n\n'
    "data: x\n\ndata: lost\n"
)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_events_are_the_same_however_the_bytes_come(size):
    data = TEXT.encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    first, second = parse_events(chunks, "6")
    assert first == ("7", "round.closed", '{"a":\n"é\u2028"}', 50)
    assert second == ("7", "message", "x", 50)


def test_an_event_before_any_id_goes_on_from_where_we_were():
    assert [event.id for event in parse_events([b"data: x\n\n"], "6")] == ["6"]


def stream(*events):
    text = "".join(f"id: {number}\ndata: d{number}\n\n" for number in events)
    return 200, {"Content-Type": "text/event-stream"}, text.encode()


OVER = (204, {}, b"")


def followed(*answers, **options):
    notes, waits = [], []
    with peer(*answers) as server, Client(server.url, sleep=waits.append) as client:
        options = {"reconnect_s": 2, "poll_s": 5, **options}
        seen = [event and event.data for event in follow(client, "events", notes.append, **options)]
        asked = [headers.get("Last-Event-ID") for _, _, headers, _ in server.asked]
    return seen, asked, waits, notes


def test_a_broken_stream_goes_on_after_the_last_event():
    seen, asked, waits, notes = followed(stream(1, 2), page(502), stream(3), OVER)
    assert seen == ["d1", "d2", None, None, "d3", None]
    assert asked == [None, "2", "2", "3"]
    assert waits == [2, 5, 2]
    assert len(notes) == 1


def test_it_may_begin_in_the_middle_and_filtered():
    with peer(OVER) as server, Client(server.url) as client:
        assert list(follow(client, "events", print, last_id="41", tournament="e")) == []
        assert server.asked[0][2]["Last-Event-ID"] == "41"
        assert server.asked[0][1] == "/api/v1/events?tournament=e"


def test_a_server_may_say_how_long_to_wait():
    retry = (200, {"Content-Type": "text/event-stream"}, b"retry: 250\ndata: x\n\n")
    assert followed(retry, OVER, reconnect_s=None)[2] == [0.25]


def test_a_full_server_is_asked_for_ever_and_one_that_is_away_is_not():
    full = problem(503, "too_many_listeners", **{"Retry-After": "20"})
    assert followed(full, full, full, OVER, outage_timeout_s=0)[0] == [None, None, None]
    with pytest.raises(ServerUnavailable):
        followed(stream(1), page(502), outage_timeout_s=0)


@pytest.mark.parametrize("text", ["data: " + "x" * 100, "data: xxxx\n" * 20, "x" * 100, ": " + "x" * 100])
def test_an_event_that_does_not_end_is_given_up(monkeypatch, text):
    monkeypatch.setattr(sse, "MAX_EVENT_CHARS", 50)
    data = text.encode()
    with pytest.raises(EnvironmentFailure):
        list(parse_events(data[at : at + 5] for at in range(0, len(data), 5)))


def test_many_short_events_are_no_long_one(monkeypatch):
    monkeypatch.setattr(sse, "MAX_EVENT_CHARS", 50)
    assert len(list(parse_events([b"data: xxxxxxxx\n\n"] * 20))) == 20
