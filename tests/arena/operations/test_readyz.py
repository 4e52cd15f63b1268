"""``/readyz`` answers in the time of one attempt, whatever is away."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.test import Client


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_asked_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def dead(*args: object, **kwargs: object) -> None:
        asked.append(args)
        raise OperationalError("connection timeout expired")

    monkeypatch.setattr(connection, "cursor", dead)
    parts = client.get("/readyz").json()["parts"]
    assert len(asked) == 1, "each attempt may take five seconds"
    assert "OperationalError" in parts["database"]["reason"]
    assert parts["migrations"] == {
        "ok": False,
        "reason": "unknown while the database does not respond",
    }
    assert list(parts) == ["database", "migrations", "broker"]
