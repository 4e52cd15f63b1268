"""Following a tournament: live from the platform itself, through broken streams and busy servers."""

import json

import pytest

from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from arena.jobs.flow import tournament_cancel
from bots.kit.client import Client
from bots.kit.client.errors import ServerUnable
from bots.kit.server import watch
from bots.kit.server.progress import Glance, event_glances, rounds_of
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, peer, plain, problem
from tests.bots.kit.server.watched import Meanwhile, under_way

pytestmark = pytest.mark.full


@pytest.fixture
def public(site, monkeypatch):
    """Nobody in particular, who knows the server."""
    monkeypatch.setenv("RENSHO_URL", site)


def test_a_tournament_is_followed_to_its_standings(run, public):
    event = under_way()
    playing = Meanwhile(play_out, event)
    status, out, err = run("watch", event.public_id)
    playing.join()
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == "Spring cup, running, round 1, 0 of 2 tables, 0 of 4 boards"
    assert "Spring cup, final, round 1, 2 of 2 tables, 4 of 4 boards" in lines
    assert [line.split()[0] for line in lines[-2:]] == ["1", "2"]


def test_every_change_is_a_line_of_json(run, public):
    event = under_way()
    playing = Meanwhile(play_out, event)
    status, out, _ = run("watch", event.public_id, "--json")
    playing.join()
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert lines[0]["state"] == "running"
    assert lines[0]["rounds"][0]["boards"] == 4
    assert lines[-2]["state"] == "final"
    assert [row["rank"] for row in lines[-1]["standings"][0]["rows"]] == [1, 2]


def test_a_cancelled_tournament_ends_with_status_1_and_the_reason(run, public):
    event = under_way()
    cancelling = Meanwhile(lambda running: tournament_cancel(running, running.organiser, "rain"), event)
    status, out, _ = run("watch", event.public_id)
    cancelling.join()
    assert status == 1
    assert "cancelled (rain)" in out


def test_what_is_over_is_told_at_once(run, public):
    event = play_out(under_way())
    status, out, _ = run("watch", event.public_id)
    assert status == 0
    assert out.startswith("Spring cup, final, ")


def test_what_one_is_told_is_told_once(run, aya):
    event = play_out(under_way())
    Notice.objects.all().delete()
    notice_create(aya, Notice.Kind.EVENT, "It begins later.", event.page)
    assert "It begins later." in run("watch", event.public_id)[2]
    assert run("watch", event.public_id)[2] == ""
    assert not Notice.objects.filter(user=aya, read_at=None).exists()


def test_notices_of_other_things_are_neither_printed_nor_read(run, aya):
    event = play_out(under_way())
    Notice.objects.all().delete()
    notice_create(aya, Notice.Kind.EVENT, "Another cup was cancelled.", factories.a_tournament().page)
    version = factories.a_version(factories.a_bot(aya))
    notice_create(aya, Notice.Kind.READY, "It passed its check.", version.page)
    notice_create(aya, Notice.Kind.SUSPENDED, "It was suspended.", version.page)
    entered = event.entries.get(player=version.bot.owner).version
    notice_create(aya, Notice.Kind.SUSPENDED, "What plays here was suspended.", entered.page)
    notice_create(aya, Notice.Kind.READY, "What plays here passed its check.", entered.page)
    status, _, err = run("watch", event.public_id)
    assert status == 0
    assert err.count("\n") == 1
    assert "What plays here was suspended." in err
    assert Notice.objects.filter(user=aya, read_at=None).count() == 4


def test_an_unknown_tournament_is_refused(run, public):
    status, out, err = run("watch", "nosuch")
    assert (status, out) == (2, "")
    assert "nosuch" in err


def cup(state, boards_done=0):
    return plain(
        {
            **{
                "id": "e",
                "name": "Cup",
                "state": state,
                "state_reason": "",
                "review_until": None,
                "entries": 2,
            },
            **{"preset": "kakeya4", "scoring": "match_points", "tie_breaks": [], "boards_done": boards_done},
        }
    )


def fixtures(boards_done):
    table = {"id": "t", "state": "leased", "board_count": 4, "boards_done": boards_done}
    row = {"stage": 1, "round": 1, "state": "open", "tables": [table]}
    return plain({"next": None, "results": [row]})


def rounds(state="open"):
    return plain({"next": None, "results": [{"stage": 1, "number": 1, "state": state}]})


STREAM = (200, {"Content-Type": "text/event-stream"}, b'retry: 3000\n\nid: 1\ndata: {"version":"1"}\n\n')


def followed(*answers, **options):
    notes = []
    with peer(*answers) as server, Client(server.url, sleep=lambda _: None) as client:
        options = {"reconnect_s": 0, "poll_s": 0, **options}
        glances = list(event_glances(client, "e", notes.append, **options))
    return [(glance.event["state"], glance.rounds[0].boards_done) for glance in glances], notes


def test_a_stream_that_ends_is_opened_again():
    answers = [cup("running"), rounds(), fixtures(0), STREAM, cup("running", 1), rounds(), fixtures(1)]
    answers += [cup("running", 2), rounds(), fixtures(2), STREAM, cup("final"), rounds(), fixtures(4)]
    seen, notes = followed(*answers)
    assert seen == [("running", 0), ("running", 1), ("running", 2), ("final", 4)]
    assert notes == []


def test_a_full_server_is_asked_again_and_again():
    full = problem(503, "too_many_listeners", "Too many follow live here just now.", **{"Retry-After": "20"})
    answers = [cup("running"), rounds(), fixtures(0), full, cup("running"), rounds(), fixtures(3)]
    answers += [full, cup("final"), rounds(), fixtures(4)]
    seen, notes = followed(*answers)
    assert seen == [("running", 0), ("running", 3), ("final", 4)]
    assert all("Too many follow live here" in note for note in notes)


def test_a_server_that_goes_away_for_a_while_is_waited_for():
    answers = [
        cup("running"),
        rounds(),
        fixtures(0),
        *[page(502)] * 5,  # the stream, three times the tournament, the stream again
        cup("final"),
        rounds(),
        fixtures(4),
    ]
    assert followed(*answers)[0] == [("running", 0), ("final", 4)]


def test_a_server_that_stays_away_is_given_up():
    with pytest.raises(ServerUnable):
        followed(cup("running"), rounds(), fixtures(0), page(502), patience_s=0)


def test_rounds_are_summed_up_in_order():
    def fixture(number, *states):
        tables = [{"id": "t", "state": s, "board_count": 4, "boards_done": 2} for s in states]
        return {"stage": 1, "round": number, "state": "open", "tables": tables}

    first, second = rounds_of(
        [fixture(2, "quarantined"), fixture(1, "finished", "leased"), fixture(1, "waiting")]
    )
    assert (first.round, first.tables, first.tables_done, first.playing, first.boards) == (1, 3, 1, 1, 12)
    assert (second.round, second.stuck, second.boards_done) == (2, 1, 2)


def test_the_picture_has_a_bar_for_each_round(capsys):
    console = watch.console_for(has_color=False)
    event = json.loads(cup("running")[2])
    rows = json.loads(fixtures(2)[2])["results"]
    console.print(watch.picture(Glance(event, rounds_of(rows))))
    out = capsys.readouterr().out
    assert "Cup, kakeya4: running" in out
    assert "round 1" in out
    assert "2 of 4 boards" in out
