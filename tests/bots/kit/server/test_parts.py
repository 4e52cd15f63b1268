"""A crosstable that the API gives in parts is whole in the client, and so in what the command shows."""

import json

import pytest

from arena.api.base.parts import part_of
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.full


@pytest.fixture
def event(site, monkeypatch):
    """A final event of three entries, from a server whose answers have room for one row each."""
    monkeypatch.setenv("RENSHO_URL", site)
    finished = play_out(begun(3, stages=[{"format": "round_robin", "options": {"cycles": 1}}]))
    # The default of ``room`` was read when the function was defined.
    monkeypatch.setattr(part_of, "__defaults__", (1,))
    return finished


def test_a_crosstable_has_every_row(run, event):
    table = json.loads(run("tournaments", "crosstable", event.public_id, "--json")[1])
    entries = [row["entry"] for row in table["rows"]]
    assert sorted(entries) == sorted(entry.public_id for entry in event.entries.all())
    assert all(
        {cell["entry"] for cell in row["against"]} == {*entries} - {row["entry"]} for row in table["rows"]
    )
    assert table["next_first"] is None
