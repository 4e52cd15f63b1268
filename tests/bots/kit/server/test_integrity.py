"""Reports on results that do not fit, and rulings on pairs, from the kit."""

import json

import pytest

from arena.integrity.models import Finding, Report
from arena.integrity.services import reports_make
from arena.jobs.flow import tournament_advance
from arena.ratings.models import RatingList
from arena.ratings.services import ratings_make
from bots.kit.display.integrity import finding_text
from tests import factories
from tests.arena.play import begun, play_table, waiting

pytestmark = pytest.mark.full


@pytest.fixture
def event(odo):
    """An event of Odo's with a closed round, a report and something in it."""
    event = begun(3, boards_per_round=2)
    for table in waiting(event):
        play_table(table)
    tournament_advance(event)
    ratings_make()
    reports_make()
    report = Report.objects.get(tournament=event)
    met = event.fixtures.filter(sides__position=1).order_by("pk")[0]
    entry, other = met.sides.order_by("position").values_list("entry__public_id", flat=True)
    Finding.objects.create(
        report=report,
        number=1,
        subject="forfeits",
        kind="against",
        entry=entry,
        other=other,
        seen=4,
        meetings=4,
        expected=0.5,
        boards=8,
        p=0.001,
        q=0.01,
        odd_boards=[
            {
                "board_set": met.board_set.public_id,
                "fixture": met.public_id,
                "board": 2,
                "stones": None,
            }
        ],
    )
    Report.objects.filter(pk=report.pk).update(flagged=1)
    return event


def test_a_report_is_listed_and_shown_with_its_boards(run, event):
    out = run("integrity", "list", "--flagged")[1]
    assert event.public_id in out
    out = run("integrity", "event", event.public_id)[1]
    assert "1 finding in 0 pairs and 1 fixture." in out
    assert "forfeited 4 of 4 fixtures against" in out
    assert f"/boards/{Finding.objects.get().odd_boards[0]['board_set']}/2" in out
    status, _, err = run("integrity", "ratings", RatingList.objects.get().public_id)
    assert (status, err.count("\n")) == (2, 1)


def test_a_pair_is_ruled_on_and_the_ruling_lifted(run, event, logged_in):
    finding = Finding.objects.get()
    pair = [finding.entry, finding.other]
    out = run("integrity", "void", event.public_id, *pair, "--reason", "friends", "--dry-run")[1]
    assert out.startswith("Nothing was changed. It would be ")
    out = run("integrity", "void", event.public_id, *pair, "--reason", "friends")[1]
    assert ": friends (odo, " in out
    ruling = out.split(":")[0]
    out = run("integrity", "lift", ruling, "--event", event.public_id, "--reason", "chance")[1]
    assert "; lifted: chance (odo, " in out
    found = RatingList.objects.get().public_id
    assert run("integrity", "left-out", found)[1] == "No pair was left out.\n"
    logged_in(factories.sota())
    versions = event.entries.filter(public_id__in=pair).values_list("version__public_id", flat=True)
    out = run("integrity", "leave-out", found, *versions, "--reason", "friends", "--json")[1]
    ruling = json.loads(out)["id"]
    assert run("integrity", "left-out", found)[1].startswith(f"{ruling}: ")
    assert run("integrity", "lift", ruling, "--list", found, "--reason", "chance")[0] == 0
    assert "lifted" in run("integrity", "ratings", found)[1]


def test_findings_in_sentences():
    who = {"id": "x", "player": "aya", "bot": "kita v1"}, {"id": "y", "player": "ben", "bot": "oni v2"}
    plain = {
        "number": 1,
        "is_with_strangers": False,
        "entry": who[0],
        "other": who[1],
        "residual": None,
        "error": None,
        "seen": 3,
        "meetings": 5,
        "expected": 0.25,
        "boards": 32,
        "p": 0.001,
        "q": 0.012,
        "odd_boards": [],
    }
    results = {**plain, "subject": "results", "residual": 1.5, "error": 0.2}
    assert finding_text({**results, "kind": "duel"}) == (
        "kita v1 won +1.50 ± 0.20 stones a board from oni v2 beyond their strengths, on 32 boards (q 0.012)"
    )
    assert finding_text({**results, "kind": "gang"}).startswith("kita v1 and oni v2 won together +1.50")
    assert finding_text({**results, "kind": "dump"}).startswith("kita v1 won and oni v2 lost, +1.50")
    waits = {**plain, "subject": "waits"}
    assert finding_text({**waits, "kind": "often", "other": None}) == (
        "kita v1 waited before answers in 3 of 5 fixtures; 0.2 to be expected (q 0.012)"
    )
    assert finding_text({**waits, "subject": "forfeits", "kind": "receives", "entry": None}) == (
        "opponents of oni v2 forfeited 3 of 5 fixtures; 0.2 to be expected (q 0.012)"
    )
