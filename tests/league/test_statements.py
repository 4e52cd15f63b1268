"""Statements have one form, labels are bound by their hash alone, and every part of a frame counts."""

import json

from league.statements import (
    canonical,
    frame_digest,
    frame_lines,
    hash_labels,
    key_id,
    label,
    label_hash,
    signed_message,
    statement_digest,
)

SALT = "00112233445566778899aabbccddeeff"


def test_the_canonical_form_is_the_same_for_every_order_of_keys():
    assert canonical({"b": [1, "é"], "a": None}) == b'{"a":null,"b":[1,"\\u00e9"]}'
    assert statement_digest({"b": 1, "a": 2}) == statement_digest({"a": 2, "b": 1})


def test_the_hashes_are_those_that_the_page_says():
    # printf 'rensho-label/1|00112233445566778899aabbccddeeff|Aya' | sha256sum
    assert label_hash(SALT, "Aya") == "ecd31408da548ea59d8c34e00b1f919b21475df8c4a75db742270cec65cbda69"
    assert signed_message("ab" * 32) == b"rensho-statement/1\n" + b"ab" * 32
    assert key_id(bytes(range(32))) == "630dcd2966c43366"


def test_a_label_without_its_text_binds_the_same():
    named = {"player": label(SALT, "Aya"), "seed": 1}
    forgotten = {"player": {"hash": label_hash(SALT, "Aya"), "salt": None, "text": None}, "seed": 1}
    assert hash_labels(named) == hash_labels(forgotten) == {"player": label_hash(SALT, "Aya"), "seed": 1}


def test_every_row_is_a_line_of_its_own():
    table = {"id": "t1", "results": [[1, 1, 2]]}
    fixture = {"id": "f1", "scores": [], "tables": [table]}
    stage = {
        "number": 1,
        "format": "round_robin",
        "entries": [{"entry": "e1", "position": 1}],
        "rounds": [{"number": 1, "boards": 1, "fixtures": [fixture]}],
        "standings": [{"entry": "e1", "rank": 1}],
    }
    document = {
        "tournament": {"id": "x", "state": "final"},
        "entries": [{"id": "e1"}],
        "stages": [stage],
    }
    lines = list(frame_lines(document))
    assert [kind for kind, _ in lines] == [
        "tournament",
        "entry",
        "stage",
        "stage_entry",
        "round",
        "fixture",
        "table",
        "standing",
    ]
    digest, count = frame_digest(lines)
    assert count == 8
    document["tournament"]["state"] = "archived"
    assert frame_digest(frame_lines(document))[0] == digest
    table["results"] = [[1, 1, 3]]
    assert frame_digest(frame_lines(json.loads(json.dumps(document))))[0] != digest
