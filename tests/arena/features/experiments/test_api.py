"""Experiments over the API: asked for once, shown with their path, stopped; what a refusal says."""

from __future__ import annotations

from typing import Any

import pytest

from arena.competition.models import Tournament
from arena.features.experiments.models import Experiment
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.arena.features.experiments.batches import BASELINE, two_versions, was_played
from tests.factories import a_bot, a_version, aya, ben

pytestmark = pytest.mark.django_db
PATH = "/api/v1/experiments"


def wanted(**fields: Any) -> dict[str, Any]:
    new, old = two_versions()
    given = {"preset": "kakeya4", "boards_per_batch": 20, "cap": 40}
    return {"candidate": new.public_id, "baseline": old.public_id, **given, **fields}


def test_it_is_asked_for_once_and_shown_with_its_path() -> None:
    client, body = caller(aya()), wanted()
    made = client.post(PATH, body, format="json", headers={"Idempotency-Key": "a"})
    assert made.status_code == 201, made.content
    assert client.post(PATH, body, format="json", headers={"Idempotency-Key": "a"}).json() == made.json()
    experiment = Experiment.objects.get()
    first = made.json()
    assert (first["state"], first["gain"], first["path"], first["allowed_actions"]) == (
        "running",
        None,
        [],
        ["stop"],
    )
    assert first["progress"] == {
        "batch": 1,
        "tables_done": 0,
        "tables": Tournament.objects.get().tables.count(),
    }
    assert (first["lower"], first["upper"]) == (-first["upper"], first["upper"])
    was_played(experiment, BASELINE)
    shown = client.get(made["Location"]).json()
    assert (shown["state"], shown["end_code"], shown["boards"]) == ("accepted", "decided", 20)
    assert shown["evidence"] >= shown["upper"]
    assert [step["number"] for step in shown["path"]] == list(range(1, 21))
    assert shown["path"][0] == {
        "number": 1,
        "batch": 1,
        "board": 1,
        "score": "2",
        "evidence": shown["path"][0]["evidence"],
    }
    assert shown["path"][-1]["evidence"] == shown["evidence"]
    gain = shown["gain"]
    # All boards alike: there is no noise to correct for.
    assert (gain["mean"], gain["corrected"], gain["widened_low"]) == (2, None, 2)
    assert gain["anytime_low"] < 2 < gain["anytime_high"]
    (batch,) = shown["batches"]
    assert (batch["number"], batch["state"], batch["counted"]) == (1, "counted", 20)
    assert client.get(f"/api/v1/tournaments/{batch['tournament']}").json()["kind"] == "experiment"
    (listed,) = client.get(PATH, {"state": "accepted"}).json()["results"]
    assert listed == {name: value for name, value in shown.items() if name in listed}
    assert client.get(PATH, {"is_field": "true"}).json()["results"] == []


def test_it_is_stopped() -> None:
    client = caller(aya())
    made = client.post(PATH, wanted(), format="json").json()
    stopped = client.post(f"{PATH}/{made['id']}/stop", {"reason": "enough"}, format="json").json()
    assert (stopped["state"], stopped["end_code"], stopped["state_reason"]) == ("stopped", "owner", "enough")
    assert (stopped["allowed_actions"], stopped["progress"], stopped["batches"][0]["state"]) == (
        [],
        None,
        "void",
    )
    again = client.post(f"{PATH}/{made['id']}/stop", {}, format="json")
    check(again, 409, "wrong_state")
    assert again.json()["allowed_states"] == ["queued", "running"]


def test_refusals_name_the_field_and_what_is_allowed() -> None:
    client = caller(aya())
    other = a_version(a_bot(aya(), game="kakkuri")).public_id
    theirs = a_version(a_bot(ben())).public_id
    assert check(client.post(PATH, wanted(baseline=other), format="json"), 400, "wrong_game")
    check(client.post(PATH, wanted(candidate=theirs), format="json"), 403, "not_owner")
    check(client.post(PATH, wanted(baseline="nosuch"), format="json"), 404, "version_not_found")
    for field, value in (
        ("difference", 0),
        ("difference", "NaN"),
        ("alpha", 0.5),
        ("cap", 10),
        ("beta", True),
    ):
        problem = check(client.post(PATH, wanted(**{field: value}), format="json"), 400, "invalid")
        assert [error["field"] for error in problem["errors"]] == [field], value
    problem = check(client.post(PATH, wanted(budget_cpu_s=10**6), format="json"), 400, "invalid")
    assert [error["field"] for error in problem["errors"]] == ["budget_cpu_s"]
    assert not Experiment.objects.exists()
