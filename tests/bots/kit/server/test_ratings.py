"""A list of ratings from the platform itself, derived again by rensho verify."""

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


def test_a_list_is_saved_and_derived_again_and_held_against_its_events(
    run, rows_of_the_list, public, tmp_path
):
    path = tmp_path / "list.ndjson"
    run.prints("api", "GET", f"rating-lists/{rows_of_the_list.public_id}/export", "--output", path)
    events = []
    for tournament in Tournament.objects.order_by("pk"):
        events += ["--tournament", tmp_path / f"{tournament.public_id}.zip"]
        events[-1].write_bytes(tournament_export(tournament, None))
    out = run.prints("verify", path, *events)
    assert all(counts in out for counts in ("3 of 3", "1 of 1", "4 rated"))

    lines = path.read_text().splitlines(keepends=True)
    forged = tmp_path / "forged.ndjson"
    forged.write_text("".join(line.replace('"boards":18', '"boards":19') for line in lines))
    assert run.json("verify", forged, status=1)["disagreements"]
    forged.write_text("".join(lines[:-1]))
    run.refuses("verify", forged, names="forged.ndjson")
    run.refuses("verify", events[1], "--tournament", events[1], names="--tournament")
    run.refuses("verify", path, "--key", "x", names="--key")
    run.refuses("verify", path, "--tournament", path, names="list.ndjson")
