"""The queue of commitments in the API and on its page: what is bound, what took it, what is revealed."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.competition.challenges import challenge_create
from arena.competition.commitments import commitments_burn, commitments_fill
from arena.competition.models import Commitment, Tournament
from arena.jobs.flow import tournament_cancel
from tests.arena.api.conftest import caller
from tests.factories import a_bot, a_version, aya, ben, chie

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(settings: Any) -> Tournament:
    settings.COMMITMENTS_FREE_MIN = 3
    commitments_fill()
    versions = [a_version(a_bot(aya())), a_version(a_bot(ben()))]
    return challenge_create(aya(), versions, preset="kakeya4", boards=1, name="secret duel")


def listed(user: Any = None, **query: Any) -> list[dict[str, Any]]:
    answer = caller(user).get("/api/v1/commitments", query)
    assert answer.status_code == 200, answer.json()
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_it_is_listed_and_filtered(event: Tournament) -> None:
    assert [row["number"] for row in listed()] == [3, 2, 1]
    assert [row["number"] for row in listed(state="posted")] == [3, 2]
    (taken,) = listed(state="taken")
    assert (taken["number"], taken["digest"], taken["posted_ahead"]) == (1, event.commitment, True)
    assert listed(number=2)[0]["state"] == "posted"
    assert listed(number=40000) == []
    page = caller().get("/api/v1/commitments", {"page_size": 2}).json()
    assert [row["number"] for row in caller().get(page["next"]).json()["results"]] == [1]
    fairness = caller(aya()).get(f"/api/v1/tournaments/{event.public_id}/fairness").json()
    assert fairness["commitment_number"] == 1


def test_what_took_one_is_named_to_who_may_see_it(event: Tournament) -> None:
    assert [listed(user, number=1)[0]["tournament"] for user in (None, chie(), ben())] == [
        None,
        None,
        event.public_id,
    ]
    stranger, own = Client(), Client()
    own.force_login(aya())
    assert b"secret duel" not in stranger.get("/fairness/commitments").content
    assert b"secret duel" in own.get("/fairness/commitments").content


def test_a_secret_is_shown_once_it_is_revealed(event: Tournament) -> None:
    secrets = {row.number: bytes(row.secret).hex() for row in Commitment.objects.all()}
    pages = [caller(aya()).get("/api/v1/commitments"), Client().get("/fairness/commitments")]
    assert not [secret for secret in secrets.values() for page in pages if secret in page.content.decode()]
    tournament_cancel(event, None, "no worker came")
    commitments_burn(2, "a backup was restored")
    found = {row["number"]: (row["state"], row["secret"], row["reason"]) for row in listed()}
    assert found == {
        1: ("revealed", secrets[1], "cancelled by the system: no worker came"),
        2: ("revealed", secrets[2], "a backup was restored"),
        3: ("posted", None, ""),
    }
    page = Client().get("/fairness/commitments").content.decode()
    assert [number for number, secret in secrets.items() if secret in page] == [1, 2]
