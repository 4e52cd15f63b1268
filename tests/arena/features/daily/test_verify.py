"""``rensho verify`` of a day: the cards follow from the statement, and changed data disagrees in one line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.features.daily.days import days_advance
from arena.features.daily.models import DailyDeal
from bots.kit.errors import CHECK_FAILED, ENVIRONMENT_FAILURE
from league.statements import canonical, statement_digest
from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.features.daily.deals import a_deal, account, attempt, move
from tests.arena.features.play.casual_tables import serve
from tests.arena.once import made_once
from tests.bots.kit.commands import Commands
from tests.bots.kit.server.peer import peer, plain

pytestmark = pytest.mark.django_db
Document = dict[str, Any]
DAY = "https://rensho.example/daily/2026-11-30"


def answers() -> tuple[Document, Document]:
    """The API's answers about a day before and after it has closed."""
    deal = a_deal()
    aya = account(factories.aya())
    table = attempt(aya).table
    assert table is not None
    serve(table, person=aya)
    days_advance()
    move(deal, -2)
    DailyDeal.objects.filter(pk=deal.pk).update(**_statement_of_the_day(deal))
    before = caller().get(f"/api/v1/daily/{deal.day}").json()
    days_advance()
    return before, caller().get(f"/api/v1/daily/{deal.day}").json()


def _statement_of_the_day(deal: DailyDeal) -> dict[str, str]:
    body = json.loads(deal.body) | {"day": deal.day.isoformat()}
    return {"body": canonical(body).decode(), "digest": statement_digest(body)}


documents_of_the_day = made_once(answers)


@pytest.fixture
def rensho(documents_of_the_day: tuple[Document, Document], capsys: pytest.CaptureFixture[str]) -> Commands:
    """The kit's commands; making the documents logs to the standard error, so they come first."""
    return Commands(capsys)


def saved(folder: Path, document: Document) -> Path:
    path = folder / "day.json"
    path.write_text(json.dumps(document))
    return path


def test_the_cards_of_a_closed_day_follow_from_its_statement(
    rensho: Commands, documents_of_the_day: tuple[Document, Document], tmp_path: Path
) -> None:
    before, after = documents_of_the_day
    path = saved(tmp_path, after)
    verified = rensho.json("verify", path, "--commitment", before["statement"]["digest"])
    assert (verified["day"], verified["disagreement"], verified["is_closed"]) == (after["day"], "", True)
    cards = [card for hand in verified["hands"].values() for card in hand]
    assert (len(verified["hands"]), len(cards), len(set(cards))) == (4, 52, 52)
    assert [claim["how"] for claim in verified["proof"]] == ["proven", "proven", "bound", "trusted"]
    assert "seat 4" in rensho.prints("verify", path)
    undecided = rensho.json("verify", saved(tmp_path, before), status=ENVIRONMENT_FAILURE)
    assert (undecided["is_closed"], undecided["hands"]) == (False, {})


def _secret(document: Document) -> None:
    document["secret"] = "0" * 64


def _other_id(document: Document) -> None:
    """Another statement with a digest of its own."""
    body = json.loads(document["statement"]["body"]) | {"id": "another1"}
    document["statement"] |= {"body": canonical(body).decode(), "digest": statement_digest(body)}


def _digest(document: Document) -> None:
    document["statement"]["digest"] = "0" * 64


def _result(document: Document) -> None:
    document["results"]["people"][0]["stones"] += 1


def _bundle(document: Document) -> None:
    body = json.loads(document["statement"]["body"])
    document["record"] = document["record"].replace(body["bots"][0]["bundle"], "0" * 64)


def _preset(document: Document) -> None:
    document["preset"] = "kakeya6"


def test_the_best_result_may_be_without_a_record(
    rensho: Commands, documents_of_the_day: tuple[Document, Document], tmp_path: Path
) -> None:
    document = copy.deepcopy(documents_of_the_day[1])
    best = document["results"]["people"][0]["stones"] + 3
    document["results"]["people"].insert(0, {"stones": best, "people": 1})
    assert rensho.json("verify", saved(tmp_path, document))["disagreement"] == ""


@pytest.mark.parametrize("change", [_secret, _other_id, _digest, _result, _bundle, _preset])
def test_changed_data_disagrees_in_one_line(
    rensho: Commands,
    documents_of_the_day: tuple[Document, Document],
    tmp_path: Path,
    change: Callable[[Document], None],
) -> None:
    document = copy.deepcopy(documents_of_the_day[1])
    change(document)
    path = saved(tmp_path, document)
    assert len(rensho.prints("verify", path, status=CHECK_FAILED).splitlines()) == 1
    verified = rensho.json("verify", path, status=CHECK_FAILED)
    assert verified["disagreement"]
    assert (verified["hands"], verified["proof"]) == ({}, [])


def test_digests_and_keys_of_others_disagree(
    rensho: Commands, documents_of_the_day: tuple[Document, Document], tmp_path: Path
) -> None:
    path = saved(tmp_path, documents_of_the_day[1])
    for option in (("--commitment", "0" * 64), ("--key", "0" * 64)):
        assert rensho.json("verify", path, *option, status=CHECK_FAILED)["disagreement"], option


@pytest.mark.parametrize(
    "change",
    [
        {"statement": None},
        {"statement": {"body": "[" * 100_000}},
        {"secret": "x"},
        {"secret": 1},
        {"record": "x"},
        {"results": {"people": [{}]}},
        {"day": {"a": []}},
    ],
)
def test_incomplete_data_is_refused(
    rensho: Commands,
    documents_of_the_day: tuple[Document, Document],
    tmp_path: Path,
    change: Document,
) -> None:
    path = saved(tmp_path, {**documents_of_the_day[1], **change})
    status, out, err = rensho("verify", path)
    assert status in (1, 2)
    assert len((out + err).splitlines()) == 1


def test_a_day_is_fetched_from_the_address_of_its_page(
    rensho: Commands, documents_of_the_day: tuple[Document, Document]
) -> None:
    day = documents_of_the_day[1]["day"]
    with peer(plain(documents_of_the_day[1])) as site:
        assert rensho.json("verify", f"{site.url}/daily/{day}")["hands"]
        assert rensho.json("verify", f"{site.url}/api/v1/daily/{day}")["hands"]
    assert [path for _, path, _, _ in site.asked] == [f"/api/v1/daily/{day}"] * 2


def test_other_addresses_are_refused(rensho: Commands) -> None:
    rensho.refuses("verify", "https://rensho.example/tournaments/x", names="/daily/")
    rensho.refuses("verify", DAY, "--tournament", "x", names="--tournament")
