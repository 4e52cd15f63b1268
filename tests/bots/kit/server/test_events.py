"""The stream of all events of the platform itself: read from anywhere, gone on with after a break."""

import json

from bots.kit.client import Client
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.watched import under_way


def some(stream, count):
    """So many events of a stream; it is closed then."""
    found = []
    for event in stream:
        if event is not None:
            found.append(event)
        if len(found) == count:
            stream.close()
            break
    return found


def kind_of(event):
    """Id and type of what a stream brought, the id as the stream and as the event itself says it."""
    body = json.loads(event.data)
    assert event.id == str(body["id"])
    return event.id, body["type"]


def test_a_stream_goes_on_where_it_broke(site):
    event = play_out(under_way())
    with Client(site, factories.a_token(factories.aya())) as client:
        listed = [(str(row["id"]), row["type"]) for row in client.events_listed(tournament=event.public_id)]
        expected = sorted(listed, key=lambda pair: int(pair[0]))
        assert "tournament.final" in dict(expected).values()
        kinds = {"tournament": event.public_id, "last_id": expected[0][0]}
        seen = some(client.events_followed(print, **kinds), 3)
        assert [kind_of(received) for received in seen] == expected[1:4]
        rest = some(client.events_followed(print, **{**kinds, "last_id": seen[-1].id}), len(expected) - 4)
        assert [kind_of(received) for received in rest] == expected[4:]
