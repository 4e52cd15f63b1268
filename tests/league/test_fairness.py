"""Deals follow from secret and field exactly as docs/fair-deals.md says."""

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import FairnessError
from league.fairness import (
    board_seed,
    commitment,
    field_digest,
    ladder_lot,
    local_board_seed,
    lot,
    queued_id,
)
from tests.refusals import refusal

PAGE = (Path(__file__).parents[2] / "docs" / "fair-deals.md").read_text()
SECRET = bytes(range(32))
HASHES = re.findall(r"^([0-9a-f]{64})$", PAGE, re.MULTILINE)
VECTORS = re.findall(r"^\| (.+?) \| (.*?) ?\| `([0-9a-f]{64})` \|$", PAGE, re.MULTILINE)
DIGEST = field_digest(HASHES)


def derive(what: str, arguments: str) -> str:
    """The value of one line of the page, by the code."""
    if what == "commitment":
        return commitment(SECRET)
    if what == "field digest":
        return DIGEST
    if what == "board seed":
        stage, round_number, board = map(int, re.findall(r"\d+", arguments))
        return board_seed(SECRET, "k4summer", DIGEST, stage, round_number, board)
    if what == "lot":
        stage, entry = re.fullmatch(r"stage (\d+), entry (\w+)", arguments).groups()
        return lot(SECRET, "k4summer", DIGEST, int(stage), entry)
    if what == "ladder lot":
        season, round_number, attempt = re.fullmatch(
            r"season (\w+), round (\d+), attempt (\d+)", arguments
        ).groups()
        return ladder_lot(SECRET, season, int(round_number), DIGEST, int(attempt))
    assert what == "local board seed"
    seed, board = re.fullmatch(r"seed (\w+), board (\d+)", arguments).groups()
    return local_board_seed(seed, int(board))


def test_the_page_has_its_vectors():
    assert len(HASHES) == 3
    assert {what for what, _, _ in VECTORS} == {
        "commitment",
        "field digest",
        "board seed",
        "lot",
        "ladder lot",
        "local board seed",
    }


@pytest.mark.parametrize(("what", "arguments", "value"), VECTORS, ids=lambda text: str(text)[:30])
def test_a_vector_of_the_page(what, arguments, value):
    assert derive(what, arguments) == value


def test_the_id_of_what_takes_a_secret_is_that_of_the_page():
    ((number, found),) = re.findall(
        r"^\| id from the queue \| number (\d+) \| `(\w+)` \|$", PAGE, re.MULTILINE
    )
    assert queued_id(SECRET, int(number)) == found
    assert queued_id(SECRET, int(number) + 1) != found


def test_the_page_says_what_the_scheme_does_not_do():
    assert "**binds the operator to the deals, but does not hide the deals from the operator**" in PAGE


def test_repeated_bundles_count():
    assert field_digest(HASHES) != field_digest(set(HASHES))


@given(st.permutations([hashlib.sha256(bytes([n])).hexdigest() for n in range(6)]))
def test_the_order_of_entries_does_not_change_the_digest(hashes):
    assert field_digest(hashes) == field_digest(sorted(hashes))


numbers = st.integers(1, 50)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=8, unique=True))
def test_every_board_has_a_seed_of_its_own(places):
    seeds = {board_seed(SECRET, "t", DIGEST, *place) for place in places}
    assert len(seeds) == len(places)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: commitment(b"short"), "32 bytes"),
        (lambda: field_digest(["ABC"]), "64 lowercase hex"),
        (lambda: field_digest([HASHES[0].upper()]), "64 lowercase hex"),
        (lambda: board_seed(SECRET, "a|b", DIGEST, 1, 1, 1), "no '|'"),
        (lambda: board_seed(SECRET, "", DIGEST, 1, 1, 1), "not empty"),
        (lambda: board_seed(SECRET, "t", "", 1, 1, 1), "field digest"),
        (lambda: board_seed(SECRET, "t", DIGEST, 1, 1, 0), "board "),
        (lambda: board_seed(SECRET, "t", DIGEST, -1, 1, 1), "stage "),
        (lambda: lot(SECRET, "t", DIGEST, 1, "x|y"), "no '|'"),
        (lambda: ladder_lot(SECRET, "s", 0, DIGEST), "round "),
        (lambda: local_board_seed("demo", 0), "board "),
    ],
)
def test_what_no_deal_can_follow_from_is_refused(call, message):
    with pytest.raises(FairnessError, match=re.escape(message)):
        call()


def test_no_message_quotes_a_secret():
    assert "hunter2" not in str(refusal(FairnessError, commitment, b"hunter2"))
