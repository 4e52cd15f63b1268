"""The world of the API's tests, made once for tests of all pages, with what pages need besides."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_django

from arena.accounts.form_drafts import draft_save
from tests import factories
from tests.arena.api.conftest import a_named_world, feature_settings, matrices
from tests.arena.once import given, made_once


def names_of_the_world() -> dict[str, Any]:
    """What addresses need: what the pages of features need; Odo left a form half filled in."""
    names = a_named_world()
    names["form_draft"] = draft_save(factories.odo(), "event", {"name": "Not yet"}).public_id
    for feature in matrices("page_things"):
        names |= feature.page_things()
    return names


rows_of_the_names = made_once(names_of_the_world, serials=1000)


@pytest.fixture
def names(rows_of_the_names: dict[str, Any], settings: pytest_django.Settings, db: None) -> dict[str, Any]:
    """See ``names_of_the_world``."""
    for name, value in feature_settings().items():
        setattr(settings, name, value)
    return given(rows_of_the_names)
