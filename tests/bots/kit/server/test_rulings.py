"""An organiser's decisions from the kit, on the platform itself."""

import json

import pytest

from arena.matches.models import Fixture, Table
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting

pytestmark = pytest.mark.full


@pytest.fixture
def fixture(odo):
    """A fixture of Odo's, played."""
    event = begun(3)
    for table in waiting(event):
        play_table(table)
    return Fixture.objects.filter(tables__isnull=False).distinct().first()


class TestRuled:
    def test_a_draw_and_its_lifting(self, run, fixture):
        status, out, err = run("rulings", "draw", fixture.public_id, "--reason", "both crashed")
        assert (status, err) == (0, "")
        assert "1: draw: both crashed (odo, " in out
        out = run("rulings", "lift", fixture.public_id, "--reason", "a mistake")[1]
        assert "2: lift: a mistake (odo, " in out
        assert "2: lift" in run("rulings", "show", fixture.public_id)[1]

    def test_a_forfeit_names_the_entry(self, run, fixture):
        entry = json.loads(run("rulings", "show", fixture.public_id, "--json")[1])["sides"][0]["entry"]
        out = run("rulings", "forfeit", fixture.public_id, "--entry", entry, "--reason", "cheated")[1]
        assert f"1: forfeit by {entry}: cheated" in out

    def test_a_dry_run_decides_nothing(self, run, fixture):
        out = run("rulings", "void", fixture.public_id, "--reason", "trial", "--dry-run")[1]
        assert out.startswith("Nothing was changed. The fixture would be:")
        assert not fixture.adjudications.exists()

    def test_a_reason_is_needed(self, run):
        status, _, err = run("rulings", "draw", "f")
        assert status == 2
        assert "--reason" in err

    def test_a_stranger_decides_nothing(self, run, fixture, logged_in):
        logged_in(factories.chie())
        status, _, err = run("rulings", "draw", fixture.public_id, "--reason", "mine")
        assert (status, err.count("\n")) == (2, 1)
        assert not fixture.adjudications.exists()


class TestTables:
    def test_a_rerun(self, run, fixture):
        table = fixture.tables.first()
        status, out, err = run("rulings", "rerun", table.public_id, "--reason", "power cut")
        assert (status, err) == (0, "")
        assert out == f"table {table.public_id}: waiting\n"
        table.refresh_from_db()
        assert (table.state, table.reruns) == ("waiting", 1)

    def test_a_retry_frees_a_quarantined_table_alone(self, run, odo):
        event = begun(2)
        table = waiting(event)[0]
        status, _, err = run("rulings", "retry", table.public_id)
        assert (status, err.count("\n")) == (2, 1)
        Table.objects.filter(pk=table.pk).update(state="quarantined")
        out = run("rulings", "retry", table.public_id, "--dry-run")[1]
        assert out == f"table {table.public_id}: Nothing was changed. It would be waiting\n"
        assert run("rulings", "retry", table.public_id)[1] == f"table {table.public_id}: waiting\n"

    def test_the_audit_log(self, run, odo):
        event = play_out(begun(2))
        out = run("rulings", "audit", "--limit", 50)[1]
        assert event.public_id in out
        assert json.loads(run("rulings", "audit", "--verb", "start", "--json")[1])[0]["verb"] == "start"
        assert run("rulings", "audit", "--verb", "nosuch")[1] == "Nothing is recorded.\n"
