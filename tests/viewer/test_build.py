"""A view agrees with its record at every step, for every preset and many options."""

import pytest

from tests.strategies import SHORT_PRESETS
from tests.viewer.agreement import agreed_view
from tests.viewer.records import recorded


def changed(game, ruleset):
    """The options that differ from the preset's."""
    preset = game.presets[ruleset.preset].as_dict()
    return {name: value for name, value in ruleset.as_dict().items() if value != preset[name]}


@pytest.mark.parametrize("kind", ["deal", "game"])
@pytest.mark.parametrize(("game", "ruleset"), SHORT_PRESETS, ids=[row[1].preset for row in SHORT_PRESETS])
def test_the_view_of_every_preset_agrees_with_its_record_at_every_step(game, ruleset, kind):
    agreed_view(recorded(ruleset.preset, kind, (1, 2, 3), options=changed(game, ruleset)))


@pytest.mark.parametrize("kind", ["deal", "game"])
@pytest.mark.parametrize("seats", range(2, 9))
def test_kakkuri_of_any_number_of_seats_agrees(seats, kind):
    agreed_view(recorded("kakkuri", kind, (1, 2, 3, 4), options={"seats": seats, "hands": 4}))
