"""The shape of an export, key by key, and strict validation of a document against it, with paths.

Source: docs/fair-deals.md#the-export.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from league.export_values import (
    BOARDS,
    BOOLEAN,
    FRACTION,
    ID,
    MAX_NUMBER,
    NAME,
    NO_SHA256,
    OPTION,
    REASON,
    SCALAR,
    SHA256,
    TIME,
    LeafShape,
    ListShape,
    MapShape,
    Nullable,
    ObjectShape,
    Shape,
    TupleShape,
    integer,
    matching,
    one_of,
    text,
)
from league.standings import SCORINGS, TIE_BREAKS, repeated_tie_break
from league.statements import LABEL_KEYS, label_hash

FORMAT = "rensho-export/3"
README = """A tournament as it was played. tournament.json says what it consists of, records/ holds one
record a table, named by its SHA-256. Check it with: rensho verify FILE

"statements" in tournament.json are what the site published and signed: as entry opened, as the field
was fixed, and when the event was final or cancelled. The key to check them with is at
/.well-known/rensho-key of the site. Keep a copy of your own: a key that comes with the file proves nothing.
"""
"""Exact text of README.txt next to a document."""
LOST_RECORDS = "lost.json"
"""Member of an archive that names the records its site has lost; absent if there are none."""
MAX_QUOTED_CHARS = 60
"""Maximum characters of a wrong value in a message."""

LABEL = ObjectShape(
    {
        "hash": Nullable(SHA256),
        "salt": Nullable(matching(r"[0-9a-f]{32}", "32 lowercase hex digits")),
        "text": Nullable(NAME),
    }
)
CLOCK = ObjectShape(
    dict.fromkeys(
        (
            "start_wall_ms",
            "increment_cpu_ms",
            "bank_cpu_ms_per_deal_board",
            "bank_cpu_ms_per_game_board",
            "decision_cpu_cap_ms",
        ),
        integer(),
    )
)
VERDICT = matching(r"[A-Z_]{0,20}", "a verdict")
_STATES = (
    "draft",
    "open",
    "locked",
    "running",
    "paused",
    "provisional",
    "final",
    "archived",
    "cancelled",
)

_LOST = ObjectShape({"records": MapShape(one_of("missing", "damaged"))})

_TOURNAMENT = {
    "id": ID,
    "name": LABEL,
    "kind": one_of("tournament", "challenge", "ladder", "experiment", "trial"),
    "state": one_of(*_STATES),
    "game": NAME,
    "preset": NAME,
    "ruleset": MapShape(SCALAR),
    "rules_version": integer(1),
    "sides": integer(2, 8),
    "seats_per_side": integer(1, 8),
    "forfeit_stones": integer(),
    "board_kind": one_of("deal", "game"),
    "boards_per_round": BOARDS,
    "board_plan": one_of("fixed", "until_separated"),
    "max_passes": integer(1),
    "budget_cpu_s": Nullable(integer()),
    "clock": CLOCK,
    "fault_policy": one_of("substitute", "strict"),
    "faults_before_forfeit": integer(),
    "scoring": one_of(*SCORINGS),
    "tie_breaks": ListShape(one_of(*TIE_BREAKS)),
    "queue": ObjectShape(
        {
            "number": integer(1),
            "posted_at": TIME,
            "key": matching(r"[0-9a-f]{16}", "16 lowercase hex digits"),
            "signature": matching(r"[0-9a-f]{128}", "128 lowercase hex digits"),
        }
    ),
    "commitment": NO_SHA256,
    "secret": Nullable(SHA256),
}
_OPTIONAL = ("queue",)
"""Optional keys of the event: only events with a commitment from the queue have them."""
_VERSION = {"bot": LABEL, "number": integer(1), "bundle_sha256": SHA256}
_ENTRY = {
    "id": ID,
    "player": LABEL,
    "partner": Nullable(LABEL),
    "own": BOOLEAN,
    "status": one_of("pending", "entered", "withdrawn", "left"),
    "status_reason": REASON,
    "left_stage": Nullable(integer(1)),
    "left_round": Nullable(integer()),
    "seed": Nullable(integer()),
    "versions": ListShape(ObjectShape(_VERSION), least=1),
}
_STANDING = {
    "entry": ID,
    "rank": integer(1),
    "values": MapShape(
        LeafShape(lambda v: v is None or isinstance(v, str | int), "a text, a number or null")
    ),
    "decided_by": NAME,
}
_SEAT = {
    "seat": integer(1, 64),
    "entry": ID,
    "bundle_sha256": SHA256,
    "verdict": VERDICT,
    "forfeited": BOOLEAN,
}
_TABLE = {
    "id": ID,
    "rotation": integer(0, 64),
    "first_board": BOARDS,
    "board_count": BOARDS,
    "state": one_of("waiting", "leased", "finished", "quarantined", "void"),
    "cause": matching(r"[a-z_]{0,16}", "a code"),
    "reruns": integer(),
    "record_sha256": NO_SHA256,
    "seats": ListShape(ObjectShape(_SEAT), least=2),
    "results": ListShape(TupleShape((BOARDS, integer(1, 64), integer(-MAX_NUMBER)))),
}
_RULING = {
    "number": integer(1),
    "kind": one_of("forfeit", "draw", "void", "lift"),
    "entries": ListShape(ID),
    "rounds_opened": integer(1),
    "reason": text(300, 1),
    "by": one_of("system", "organiser"),
    "created_at": TIME,
}
_FIXTURE = {
    "id": ID,
    "number": integer(1),
    "state": one_of("planned", "open", "settled", "forfeited", "void"),
    "reason": REASON,
    "sides": ListShape(ID, least=1),
    "same_owner": BOOLEAN,
    "adjudications": ListShape(ObjectShape(_RULING)),
    "scores": ListShape(ObjectShape({"board": BOARDS, "entry": ID, "value": FRACTION})),
    "tables": ListShape(ObjectShape(_TABLE)),
}
_ROUND = {
    "number": integer(1),
    "board_set": ID,
    "closed_seq": Nullable(integer(1)),
    "boards": BOARDS,
    "fixtures": ListShape(ObjectShape(_FIXTURE), least=1),
}
_STAGE = {
    "number": integer(1),
    "format": NAME,
    "options": MapShape(OPTION),
    "qualify": Nullable(integer(1)),
    "boards_per_round": Nullable(BOARDS),
    "field_digest": NO_SHA256,
    "state": one_of("planned", "running", "done"),
    "closed_early": BOOLEAN,
    "note": REASON,
    "end_code": one_of("", "separated", "max_passes", "budget_spent", "field_empty", "field_unfit"),
    "entries": ListShape(ObjectShape({"entry": ID, "position": integer(1), "origin": Nullable(integer(1))})),
    "rounds": ListShape(ObjectShape(_ROUND)),
    "standings": ListShape(ObjectShape(_STANDING)),
}
_BODY = {"format": NAME, "kind": NAME, "published_at": TIME, "previous": Nullable(SHA256), "tournament": ID}
_PLAN = ("number", "format", "options", "qualify", "boards_per_round")
_HASHED_ENTRY = {
    "id": ID,
    "player": SHA256,
    "partner": Nullable(SHA256),
    "seed": Nullable(integer()),
    "versions": ListShape(ObjectShape({**_VERSION, "bot": SHA256}), least=1),
    "own": BOOLEAN,
}
_ENDING = ObjectShape({**_BODY, "frame": SHA256, "lines": integer(1)})
BODIES: Mapping[str, ObjectShape] = {
    "opened": ObjectShape(
        {
            **_BODY,
            "settings": ObjectShape(
                {key: shape for key, shape in _TOURNAMENT.items() if key not in ("secret", "state")}
                | {"name": SHA256},
                frozenset(_OPTIONAL),
            ),
            "stages": ListShape(ObjectShape({key: _STAGE[key] for key in _PLAN}), least=1),
        }
    ),
    "locked": ObjectShape(
        {**_BODY, "field_digest": SHA256, "entries": ListShape(ObjectShape(_HASHED_ENTRY), least=1)}
    ),
    "final": _ENDING,
    "cancelled": _ENDING,
}
"""Shape of the body of a statement, by kind."""
_STATEMENT = ObjectShape(
    {
        "kind": one_of(*BODIES),
        "body": LeafShape(lambda value: isinstance(value, dict), "an object"),
        "digest": SHA256,
        "key": matching(r"[0-9a-f]{16}", "16 lowercase hex digits"),
        "signature": matching(r"[0-9a-f]{128}", "128 lowercase hex digits"),
    }
)


DOCUMENT_SHAPE = ObjectShape(
    {
        "format": one_of(FORMAT),
        "tournament": ObjectShape(_TOURNAMENT, frozenset(_OPTIONAL)),
        "entries": ListShape(ObjectShape(_ENTRY)),
        "stages": ListShape(ObjectShape(_STAGE), least=1),
        "statements": ListShape(_STATEMENT),
    }
)
"""Shape of the whole document."""


def lost_records_errors(value: Any, records: Collection[str]) -> Iterator[str]:
    """Yield the errors in the content of ``LOST_RECORDS``, given the hashes of the missing records."""
    wrong: list[str] = []
    _check_shape(value, _LOST, LOST_RECORDS, wrong)
    yield from wrong
    if not wrong:
        for sha256 in sorted(set(value["records"]) - set(records)):
            yield f"{LOST_RECORDS} names {quoted(sha256)}, which is no record that the archive lacks"


def shape_errors(document: Any) -> Iterator[str]:
    """Yield one sentence for each deviation of a document from its format and for each duplicate row.

    Each names the path (``stages[0].rounds[2]``, counted from 0). Linear in the size.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        document_format = document.get("format") if isinstance(document, dict) else None
        yield f"the export has the format {quoted(document_format)}; only {FORMAT!r} is read"
        return
    wrong: list[str] = []
    _check_shape(document, DOCUMENT_SHAPE, "", wrong)
    for statement_at, statement in enumerate(document["statements"] if not wrong else ()):
        _check_shape(statement["body"], BODIES[statement["kind"]], f"statements[{statement_at}].body", wrong)
    yield from wrong
    if not wrong:
        yield from _duplicate_rows(document)
        yield from _label_errors(document)


def _check_shape(value: Any, shape: Shape, where: str, wrong: list[str]) -> None:
    if isinstance(shape, LeafShape):
        if not shape.allows(value):
            wrong.append(f"{where} must be {shape.expected}, not {quoted(value)}")
    elif isinstance(shape, ObjectShape):
        _check_keys(value, shape, where, wrong)
    elif isinstance(shape, Nullable):
        if value is not None:
            _check_shape(value, shape.of, where, wrong)
    elif isinstance(shape, MapShape):
        if not isinstance(value, dict):
            wrong.append(f"{where} must be an object, not {quoted(value)}")
            return
        for name, part in value.items():
            _check_shape(part, shape.of, f"{where}.{name}", wrong)
    elif not isinstance(value, list):
        wrong.append(f"{where} must be a list, not {quoted(value)}")
    elif isinstance(shape, TupleShape):
        if len(value) != len(shape.of):
            wrong.append(f"{where} must have {len(shape.of)} values, not {len(value)}")
            return
        for index, (part, of) in enumerate(zip(value, shape.of, strict=True)):
            _check_shape(part, of, f"{where}[{index}]", wrong)
    else:
        if len(value) < shape.least:
            wrong.append(f"{where} must have {shape.least} or more rows, not {len(value)}")
        for index, part in enumerate(value):
            _check_shape(part, shape.of, f"{where}[{index}]", wrong)


def _check_keys(value: Any, shape: ObjectShape, where: str, wrong: list[str]) -> None:
    if not isinstance(value, dict):
        wrong.append(f"{where or 'the export'} must be an object, not {quoted(value)}")
        return
    if value.keys() != shape.parts.keys():
        path = where or "the export"
        wrong.extend(f"{path} has an unknown key {quoted(key)}" for key in value if key not in shape.parts)
        missing = [key for key in shape.parts if key not in value and key not in shape.optional]
        wrong.extend(f"{path} lacks the key {key!r}" for key in missing)
    for key, part in shape.parts.items():
        if key in value:
            _check_shape(value[key], part, f"{where}.{key}" if where else key, wrong)


def _duplicate_rows(document: Mapping[str, Any]) -> Iterator[str]:
    stages: Sequence[Mapping[str, Any]] = document["stages"]
    rounds = [played for stage in stages for played in stage["rounds"]]
    fixtures = [fixture for played in rounds for fixture in played["fixtures"]]
    yield from _duplicates("entry", (entry["id"] for entry in document["entries"]))
    repeated = repeated_tie_break(document["tournament"]["tie_breaks"])
    if repeated is not None:
        yield f"tie-break {repeated} stands too often"
    yield from _duplicates("stage", (stage["number"] for stage in stages))
    yield from _duplicates("board set", (played["board_set"] for played in rounds))
    yield from _duplicates(
        "place in the closing order", (seq for played in rounds if (seq := played["closed_seq"]) is not None)
    )
    yield from _duplicates("fixture", (fixture["id"] for fixture in fixtures))
    yield from _duplicates("table", (table["id"] for fixture in fixtures for table in fixture["tables"]))
    for stage in stages:
        where = f"stage {stage['number']}, "
        yield from _duplicates(f"{where}round", (played["number"] for played in stage["rounds"]))
        yield from _duplicates(f"{where}standing of", (row["entry"] for row in stage["standings"]))
        yield from _duplicates(f"{where}field row of", (row["entry"] for row in stage["entries"]))
    for fixture in fixtures:
        where = f"fixture {fixture['id']}: "
        yield from _duplicates(f"{where}entry", fixture["sides"])
        yield from _duplicates(f"{where}score", ((row["board"], row["entry"]) for row in fixture["scores"]))
        for table in fixture["tables"]:
            where = f"table {table['id']}: "
            yield from _duplicates(f"{where}seat", (seat["seat"] for seat in table["seats"]))
            yield from _duplicates(
                f"{where}result of", ((board, seat) for board, seat, _ in table["results"])
            )


def _duplicates(row_name: str, names: Iterable[Any]) -> Iterator[str]:
    known: set[Any] = set()
    for name in names:
        if name in known:
            yield f"{row_name} {name} stands twice"
        known.add(name)


def labels_of(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the labels of a document, each with its path."""
    yield "tournament.name", value["tournament"]["name"]
    for index, entry in enumerate(value["entries"]):
        yield f"entries[{index}].player", entry["player"]
        if entry["partner"] is not None:
            yield f"entries[{index}].partner", entry["partner"]
        for number, version in enumerate(entry["versions"]):
            yield f"entries[{index}].versions[{number}].bot", version["bot"]


def _label_errors(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield labels whose hash does not match their salt and text, if these are present."""
    for where, label in labels_of(document):
        digest, salt, text = (label[key] for key in LABEL_KEYS)
        if digest is None:
            # Salts are drawn when the field is fixed; nothing can be verified before the secret is revealed.
            if document["tournament"]["secret"] is not None or salt is not None:
                yield f"{where}: the label has no hash"
        elif (salt is None) != (text is None):
            yield f"{where}: salt and text of a label are deleted together or not at all"
        elif salt is not None and not _is_label_hash(digest, salt, text):
            yield f"{where}: its hash is not that of its salt and text"


def _is_label_hash(digest: str, salt: str, text: str) -> bool:
    try:
        return label_hash(salt, text) == digest
    except UnicodeEncodeError:
        return False


def quoted(value: Any) -> str:
    """Return the ``repr`` of an untrusted value, cut after ``MAX_QUOTED_CHARS`` characters."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTED_CHARS else text[:MAX_QUOTED_CHARS] + "…"
