"""Artefacts are read from the database; a machine whose database does not answer can do without."""

from __future__ import annotations

import logging

import pytest
from django.db import OperationalError, connection

from arena.matches.models import RuntimeArtifact
from arena.tables import offers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("is_migrated", [True, False])
def test_a_database_that_fails_is_warned_of_one_that_is_still_empty_is_not(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_migrated: bool
) -> None:
    def fail() -> dict[str, str]:
        raise OperationalError("no such table: matches_runtimeartifact")

    tables = [RuntimeArtifact._meta.db_table] if is_migrated else []
    monkeypatch.setattr(offers, "artifacts_current", fail)
    monkeypatch.setattr(connection.introspection, "table_names", lambda: tables)
    with caplog.at_level(logging.WARNING, "arena.tables.offers"):
        assert offers.artifacts_in_use() == {}
    assert ("artefacts of runtimes are not known" in caplog.text) == is_migrated
