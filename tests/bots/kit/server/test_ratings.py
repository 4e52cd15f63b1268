"""Ratings from the kit, on the platform itself: lists, tables, lines with reasons, histories."""

import json

import pytest

from arena.competition.models import Tournament
from arena.ratings.models import Rating, RatingList
from arena.ratings.services import ratings_make
from arena.standings.export import tournament_export
from tests import factories
from tests.arena.play import begun, play_out
from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

pytestmark = pytest.mark.full


def a_list():
    """A list with four rated versions and two who are not comparable yet."""
    play_out(begun(4, boards_per_round=6))
    play_out(begun(2, boards_per_round=2))
    ratings_make()
    return RatingList.objects.get()


rows_of_the_list = committed_once(a_list)


@pytest.fixture
def rated(rows_of_the_list, site, monkeypatch):
    """The list; nobody in particular reads it."""
    monkeypatch.setenv("RENSHO_URL", site)
    return rows_of_the_list


def test_a_list_a_line_and_a_history(run, rated):
    best = Rating.objects.get(rank=1).version
    status, out, err = run("rating", "list", "--preset", "kakeya4", "--season", rated.season)
    assert (status, err) == (0, "")
    head, row = (" ".join(line.split()) for line in out.splitlines())
    assert head == "id preset season played rated not yet boards"
    assert row == f"{rated.public_id} kakeya4 {rated.season} deal boards, 4 seats 4 2 20"
    assert json.loads(run("rating", "list", "--json")[1])[0]["digest"] == rated.digest

    status, out, _ = run("rating", "show", f"https://rensho.example/ratings/{rated.public_id}")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert status == 0
    assert rated.digest in lines[2]
    first = Rating.objects.get(rank=1)
    ranks = "1" if first.rank_high == 1 else f"1-{first.rank_high}"
    assert lines[5].startswith(f"{ranks} {best.bot.name} {best.number} {best.bot.owner.handle} ")
    assert f"{first.estimate:+.3f} {first.low:+.3f} to {first.high:+.3f} 18 3" in lines[5]
    text = " ".join(out.split())
    assert "not comparable yet" in text
    assert "too few boards: 2 of 16" in text
    shown = json.loads(run("rating", "show", rated.public_id, "--json")[1])
    assert [line["rank"] for line in shown["lines"]] == [1, 2, 3, 4, None, None]

    player = best.bot.owner.handle
    by_version = json.loads(run("rating", "lines", "--version", best.public_id, "--json")[1])
    assert by_version == shown["lines"][:1]
    assert by_version[0] in json.loads(run("rating", "lines", "--player", player, "--json")[1])
    assert rated.public_id in run("rating", "lines", "--player", player)[1]

    page = f"https://rensho.example/versions/{best.public_id}/history"
    (point,) = json.loads(run("rating", "history", page, "--list", rated.public_id, "--json")[1])
    assert point["estimate"] == first.estimate
    assert "board set closed of" in run("rating", "history", page)[1]


def test_what_is_not_there_is_one_line(run, rated):
    unrated = Rating.objects.filter(estimate=None)[0].version
    assert "has not been comparable yet" in run("rating", "history", unrated.public_id)[1]
    assert "no such list" in run("rating", "list", "--preset", "kakkuri")[1]
    idle = factories.a_version(factories.a_bot(factories.chie()))
    assert run("rating", "lines", "--version", idle.public_id)[1].startswith("No rating: ")
    for words, said in (
        (("show", "nosuchlist"), "no list of ratings 'nosuchlist'"),
        (("show", "My list"), "'My list' is no id of a list of ratings"),
        (("lines",), "say whose: --player NAME or --version VERSION"),
        (("lines", "--player", "nobody"), "no player 'nobody'"),
        (("lines", "--version", "nosuchversion"), "nosuchversion"),
        (("history", "nosuchversion"), "no version 'nosuchversion'"),
    ):
        status, out, err = run("rating", *words)
        assert (status, out) == (2, "")
        assert said in err


def test_a_list_is_saved_and_derived_again_and_held_against_its_events(run, rated, tmp_path):
    path = tmp_path / "list.ndjson"
    status, out, err = run("rating", "export", rated.public_id, "--output", path)
    assert (status, out, err) == (
        0, f"Saved: {path}\nVerified: every line follows from the board scores.\n", ""
    )  # fmt: skip
    events = []
    for tournament in Tournament.objects.order_by("pk"):
        events += ["--event", tmp_path / f"{tournament.public_id}.zip"]
        events[-1].write_bytes(tournament_export(tournament, None))
    status, out, _ = run("verify", path, *events)
    assert status == 0
    assert "board sets in the list: 3 of 3" in out
    assert "board sets in the list: 1 of 1" in out
    assert "every line follows from the board scores, to the last digit (4 rated, 2 not yet)." in out

    lines = path.read_text().splitlines(keepends=True)
    forged = tmp_path / "forged.ndjson"
    forged.write_text("".join(line.replace('"boards":18', '"boards":19') for line in lines))
    status, out, _ = run("verify", forged, "--json")
    assert status == 1
    assert json.loads(out)["disagreements"][0] == "the digest is not that of its lines"
    forged.write_text("".join(lines[:-1]))
    status, out, err = run("verify", forged)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "its end is missing" in err
    assert "--event goes with a list" in run("verify", events[1], "--event", events[1])[2]
    assert "--commitment and --key go with" in run("verify", path, "--key", "x")[2]
    assert "is no export of a tournament" in run("verify", path, "--event", path)[2]
    assert run("rating", "export", "nosuchlist")[0] == 2
