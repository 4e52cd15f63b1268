"""A list of ratings from the platform itself, derived again by rensho verify."""

import json

import pytest

from arena.competition.models import Tournament
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from arena.standings.export import tournament_export
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


def test_a_list_is_saved_and_derived_again_and_held_against_its_events(run, rated, tmp_path):
    path = tmp_path / "list.ndjson"
    saved = run("api", "GET", f"rating-lists/{rated.public_id}/export", "--output", path)
    assert saved == (0, "", "")
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
