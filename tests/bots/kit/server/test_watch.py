"""Following a tournament: live from the platform itself, through broken streams and busy servers."""

import json

import pytest

from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from arena.common.notes import typed_note
from arena.jobs.flow import tournament_cancel
from bots.kit.client import Client
from bots.kit.server import watch
from bots.kit.server.progress import TournamentProgress, follow_progress, round_progress
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, peer, plain
from tests.bots.kit.server.watched import Meanwhile, under_way

pytestmark = pytest.mark.full


def watched(run, action, *words, status=0):
    """The lines of JSON of a tournament that something happens to while it is followed."""
    event = under_way()
    meanwhile = Meanwhile(action, event)
    out = run.prints("watch", event.public_id, *words, status=status)
    meanwhile.join()
    return out.splitlines()


def test_a_tournament_is_followed_to_its_standings(run, public):
    lines = watched(run, play_out)
    assert [text in lines[0] for text in ("running", "0 of 2 tables", "0 of 4 boards")] == [True] * 3
    assert any("final" in line and "4 of 4 boards" in line for line in lines)
    assert [line.split()[0] for line in lines[-2:]] == ["1", "2"]


def test_every_change_is_a_line_of_json(run, public):
    lines = [json.loads(line) for line in watched(run, play_out, "--json")]
    assert (lines[0]["state"], lines[-2]["state"]) == ("running", "final")
    assert lines[0]["rounds"][0]["boards"] == 4
    assert [row["rank"] for row in lines[-1]["standings"][0]["rows"]] == [1, 2]


def test_a_cancelled_tournament_ends_with_status_1_and_the_reason(run, public):
    lines = watched(run, lambda event: tournament_cancel(event, event.organiser, "rain"), status=1)
    assert any("cancelled (rain)" in line for line in lines)


def test_what_is_over_is_told_at_once_and_notices_once(run, aya):
    event = play_out(under_way())
    Notice.objects.all().delete()
    notice_create(aya, Notice.Kind.TOURNAMENT, typed_note("later"), event.page)
    status, out, err = run("watch", event.public_id)
    assert (status, "final" in out, "later" in err) == (0, True, True)
    run.prints("watch", event.public_id)
    assert not Notice.objects.filter(user=aya, read_at=None).exists()


def test_notices_of_other_things_are_neither_printed_nor_read(run, aya):
    event = play_out(under_way())
    Notice.objects.all().delete()
    entered = event.entries.get(player=aya.player).version
    version = factories.a_version(factories.a_bot(aya))
    for kind, text, page_of in (
        (Notice.Kind.TOURNAMENT, "a", factories.a_tournament()),
        (Notice.Kind.READY, "b", version),
        (Notice.Kind.SUSPENDED, "c", version),
        (Notice.Kind.SUSPENDED, "printed", entered),
        (Notice.Kind.READY, "d", entered),
    ):
        notice_create(aya, kind, typed_note(text), page_of.page)
    status, _, err = run("watch", event.public_id)
    assert (status, err.count("\n"), "printed" in err) == (0, 1, True)
    assert Notice.objects.filter(user=aya, read_at=None).count() == 4


def test_an_unknown_tournament_is_refused(run, public):
    run.refuses("watch", "nosuch", names="nosuch")


def cup(state, boards_done=0):
    event = {"id": "e", "name": "Cup", "state": state, "state_reason": "", "review_until": None, "entries": 2}
    more = {"preset": "kakeya4", "scoring": "match_points", "tie_breaks": [], "boards_done": boards_done}
    return plain({**event, **more})


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
        glances = list(follow_progress(client, "e", notes.append, **options))
    return [(glance.event["state"], glance.rounds[0].boards_done) for glance in glances], notes


def test_a_stream_that_ends_is_opened_again():
    answers = [cup("running"), rounds(), fixtures(0), STREAM, cup("running", 1), rounds(), fixtures(1)]
    answers += [cup("running", 2), rounds(), fixtures(2), STREAM, cup("final"), rounds(), fixtures(4)]
    seen, notes = followed(*answers)
    assert seen == [("running", 0), ("running", 1), ("running", 2), ("final", 4)]
    assert notes == []


def test_a_server_that_goes_away_for_a_while_is_waited_for():
    answers = [cup("running"), rounds(), fixtures(0)]
    answers += [page(502)] * 5  # the stream, three times the tournament, the stream again
    answers += [cup("final"), rounds(), fixtures(4)]
    assert followed(*answers)[0] == [("running", 0), ("final", 4)]


def test_rounds_are_summed_up_in_order():
    def fixture(number, *states):
        tables = [{"id": "t", "state": s, "board_count": 4, "boards_done": 2} for s in states]
        return {"stage": 1, "round": number, "state": "open", "tables": tables}

    first, second = round_progress(
        [fixture(2, "quarantined"), fixture(1, "finished", "leased"), fixture(1, "waiting")]
    )
    assert (first.round, first.tables, first.tables_done, first.playing, first.boards) == (1, 3, 1, 1, 12)
    assert (second.round, second.stuck, second.boards_done) == (2, 1, 2)


def test_the_picture_has_a_bar_for_each_round(capsys):
    console = watch.console_for(has_color=False)
    event = json.loads(cup("running")[2])
    console.print(
        watch.progress_view(TournamentProgress(event, round_progress(json.loads(fixtures(2)[2])["results"])))
    )
    out = capsys.readouterr().out
    assert [text in out for text in ("Cup, kakeya4: running", "round 1", "2 of 4")] == [True] * 3
