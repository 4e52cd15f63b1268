"""The world of the API's tests, made once for tests of all pages, with a casual table and a draft."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_django
from django.test import override_settings

from arena.accounts.form_drafts import draft_save
from tests import factories
from tests.arena.api.conftest import a_world, names_in
from tests.arena.features.ladders.ladders import USUAL
from tests.arena.features.play.tables import a_seat, a_shared_table
from tests.arena.once import given, made_once


def names_of_the_world() -> dict[str, Any]:
    """What addresses need: Aya plays at ``casual``, Odo left a form half filled in."""
    with override_settings(LADDERS=USUAL):
        names = names_in(a_world())
    names["form_draft"] = draft_save(factories.odo(), "event", {"name": "Not yet"}).public_id
    names["casual"] = a_seat(factories.aya()).public_id
    names["shared"] = a_shared_table()
    return names


rows_of_the_names = made_once(names_of_the_world, serials=1000)


@pytest.fixture
def names(rows_of_the_names: dict[str, Any], settings: pytest_django.Settings, db: None) -> dict[str, Any]:
    """See ``names_of_the_world``."""
    settings.LADDERS = USUAL
    return given(rows_of_the_names)
