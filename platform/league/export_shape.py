"""What an export holds, key by key, and whether a document holds exactly that.

Reading is strict: a key that is unknown, missing or of another type, a value out of range or spelt in
another way than it is written, and a row that stands twice are named by their place.

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
    MOST_NUMBER,
    NAME,
    NO_SHA256,
    OPTION,
    REASON,
    SCALAR,
    SHA256,
    TIME,
    Both,
    Keys,
    Leaf,
    Named,
    Places,
    Rows,
    Shape,
    matching,
    one_of,
    text,
    whole,
)
from league.standings import SCORINGS, TIE_BREAKS, repeated_tie_break
from league.statements import LABEL_KEYS, label_hash

FORMAT = "rensho-export/3"
README = """A tournament as it was played. tournament.json says what it consists of, records/ holds one
record a table, named by its SHA-256. Check it with: rensho verify FILE

"statements" in tournament.json are what the site published and signed: as registration opened, as the field
was fixed, and when the event was final or cancelled. The key to check them with is at
/.well-known/rensho-key of the site. Keep a copy of your own: a key that comes with the file proves nothing.
"""
"""The text of README.txt beside a document, to the letter."""
LOST_RECORDS = "lost.json"
"""Member of an archive that names the records its site has lost; absent if none is."""
QUOTED = 60
"""Characters of a wrong value that a message shows."""

LABEL = Keys(
    {
        "hash": Both(SHA256),
        "salt": Both(matching(r"[0-9a-f]{32}", "32 lowercase hex digits")),
        "text": Both(NAME),
    }
)
CLOCK = Keys(
    dict.fromkeys(
        (
            "start_wall_ms",
            "increment_cpu_ms",
            "bank_cpu_ms_per_deal_board",
            "bank_cpu_ms_per_game_board",
            "decision_cpu_cap_ms",
        ),
        whole(),
    )
)
VERDICT = matching(r"[A-Z_]{0,20}", "a verdict")
_STATES = (
    "draft",
    "registration",
    "locked",
    "running",
    "paused",
    "provisional",
    "final",
    "archived",
    "cancelled",
)

_LOST = Keys({"records": Named(one_of("missing", "damaged"))})

_TOURNAMENT = {
    "id": ID,
    "name": LABEL,
    "kind": one_of("event", "challenge", "ladder", "experiment"),
    "state": one_of(*_STATES),
    "game": NAME,
    "preset": NAME,
    "ruleset": Named(SCALAR),
    "rules_version": whole(1),
    "sides": whole(2, 8),
    "seats_per_side": whole(1, 8),
    "forfeit_stones": whole(),
    "board_kind": one_of("deal", "game"),
    "boards_per_round": BOARDS,
    "board_plan": one_of("fixed", "until_separated"),
    "most_passes": whole(1),
    "budget_cpu_s": Both(whole()),
    "clock": CLOCK,
    "fault_policy": one_of("substitute", "strict"),
    "faults_before_forfeit": whole(),
    "scoring": one_of(*SCORINGS),
    "tie_breaks": Rows(one_of(*TIE_BREAKS)),
    "queue": Keys(
        {
            "number": whole(1),
            "posted_at": TIME,
            "key": matching(r"[0-9a-f]{16}", "16 lowercase hex digits"),
            "signature": matching(r"[0-9a-f]{128}", "128 lowercase hex digits"),
        }
    ),
    "commitment": NO_SHA256,
    "secret": Both(SHA256),
}
_MAY_LACK = ("queue",)
"""Of the event itself: only what took its commitment from the queue has it."""
_VERSION = {"bot": LABEL, "number": whole(1), "bundle_sha256": SHA256}
_ENTRY = {
    "id": ID,
    "player": LABEL,
    "partner": Both(LABEL),
    "own": BOOLEAN,
    "status": one_of("pending", "entered", "withdrawn", "left"),
    "status_reason": REASON,
    "left_stage": Both(whole(1)),
    "left_round": Both(whole()),
    "seed": Both(whole()),
    "versions": Rows(Keys(_VERSION), least=1),
}
_STANDING = {
    "entry": ID,
    "rank": whole(1),
    "values": Named(Leaf(lambda v: v is None or isinstance(v, str | int), "a text, a number or null")),
    "decided_by": NAME,
}
_SEAT = {"seat": whole(1, 64), "entry": ID, "bundle_sha256": SHA256, "verdict": VERDICT, "forfeited": BOOLEAN}
_TABLE = {
    "id": ID,
    "rotation": whole(0, 64),
    "first_board": BOARDS,
    "board_count": BOARDS,
    "state": one_of("waiting", "leased", "finished", "quarantined", "void"),
    "cause": matching(r"[a-z_]{0,16}", "a code"),
    "reruns": whole(),
    "record_sha256": NO_SHA256,
    "seats": Rows(Keys(_SEAT), least=2),
    "results": Rows(Places((BOARDS, whole(1, 64), whole(-MOST_NUMBER)))),
}
_RULING = {
    "number": whole(1),
    "kind": one_of("forfeit", "draw", "void", "lift"),
    "entries": Rows(ID),
    "rounds_opened": whole(1),
    "reason": text(300, 1),
    "by": one_of("system", "organiser"),
    "at": TIME,
}
_FIXTURE = {
    "id": ID,
    "number": whole(1),
    "state": one_of("planned", "open", "settled", "forfeited", "void"),
    "reason": REASON,
    "sides": Rows(ID, least=1),
    "same_owner": BOOLEAN,
    "adjudications": Rows(Keys(_RULING)),
    "scores": Rows(Keys({"board": BOARDS, "entry": ID, "value": FRACTION})),
    "tables": Rows(Keys(_TABLE)),
}
_ROUND = {
    "number": whole(1),
    "board_set": ID,
    "closed_seq": Both(whole(1)),
    "boards": BOARDS,
    "fixtures": Rows(Keys(_FIXTURE), least=1),
}
_STAGE = {
    "number": whole(1),
    "format": NAME,
    "options": Named(OPTION),
    "qualify": Both(whole(1)),
    "boards_per_round": Both(BOARDS),
    "field_digest": NO_SHA256,
    "state": one_of("planned", "running", "done"),
    "closed_early": BOOLEAN,
    "note": REASON,
    "end_code": one_of("", "separated", "most_passes", "budget_spent", "field_empty", "field_unfit"),
    "entries": Rows(Keys({"entry": ID, "position": whole(1), "origin": Both(whole(1))})),
    "rounds": Rows(Keys(_ROUND)),
    "standings": Rows(Keys(_STANDING)),
}
_BODY = {"format": NAME, "kind": NAME, "at": TIME, "previous": Both(SHA256), "tournament": ID}
_PLAN = ("number", "format", "options", "qualify", "boards_per_round")
_HASHED_ENTRY = {
    "id": ID,
    "player": SHA256,
    "partner": Both(SHA256),
    "seed": Both(whole()),
    "versions": Rows(Keys({**_VERSION, "bot": SHA256}), least=1),
    "own": BOOLEAN,
}
_ENDING = Keys({**_BODY, "frame": SHA256, "lines": whole(1)})
BODIES: Mapping[str, Keys] = {
    "registered": Keys(
        {
            **_BODY,
            "settings": Keys(
                {key: shape for key, shape in _TOURNAMENT.items() if key not in ("secret", "state")}
                | {"name": SHA256},
                frozenset(_MAY_LACK),
            ),
            "stages": Rows(Keys({key: _STAGE[key] for key in _PLAN}), least=1),
        }
    ),
    "locked": Keys({**_BODY, "field_digest": SHA256, "entries": Rows(Keys(_HASHED_ENTRY), least=1)}),
    "final": _ENDING,
    "cancelled": _ENDING,
}
"""The body of a statement, by its kind."""
_STATEMENT = Keys(
    {
        "kind": one_of(*BODIES),
        "body": Leaf(lambda value: isinstance(value, dict), "an object"),
        "digest": SHA256,
        "key": matching(r"[0-9a-f]{16}", "16 lowercase hex digits"),
        "signature": matching(r"[0-9a-f]{128}", "128 lowercase hex digits"),
    }
)


DOCUMENT_SHAPE = Keys(
    {
        "format": one_of(FORMAT),
        "tournament": Keys(_TOURNAMENT, frozenset(_MAY_LACK)),
        "entries": Rows(Keys(_ENTRY)),
        "stages": Rows(Keys(_STAGE), least=1),
        "statements": Rows(_STATEMENT),
    }
)
"""The whole document."""


def lost_misread(value: Any, records: Collection[str]) -> Iterator[str]:
    """What is wrong with the content of ``LOST_RECORDS``, given the hashes of the document's records that the
    archive lacks.
    """
    wrong: list[str] = []
    _read(value, _LOST, LOST_RECORDS, wrong)
    yield from wrong
    if not wrong:
        for sha256 in sorted(set(value["records"]) - set(records)):
            yield f"{LOST_RECORDS} names {_quoted(sha256)}, which is no record that the archive lacks"


def misread(document: Any) -> Iterator[str]:
    """Whatever a document has that its format has not, or the other way round, and rows that stand twice.

    One sentence each, with the place (``stages[0].rounds[2]``, counted from 0). Linear in the size.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else None
        yield f"the export has the format {_quoted(found)}; only {FORMAT!r} is read"
        return
    wrong: list[str] = []
    _read(document, DOCUMENT_SHAPE, "", wrong)
    for statement_at, statement in enumerate(document["statements"] if not wrong else ()):
        _read(statement["body"], BODIES[statement["kind"]], f"statements[{statement_at}].body", wrong)
    yield from wrong
    if not wrong:
        yield from _twice(document)
        yield from _mislabelled(document)


def _read(value: Any, shape: Shape, where: str, wrong: list[str]) -> None:
    if isinstance(shape, Leaf):
        if not shape.allows(value):
            wrong.append(f"{where} must be {shape.expected}, not {_quoted(value)}")
    elif isinstance(shape, Keys):
        _read_keys(value, shape, where, wrong)
    elif isinstance(shape, Both):
        if value is not None:
            _read(value, shape.of, where, wrong)
    elif isinstance(shape, Named):
        if not isinstance(value, dict):
            wrong.append(f"{where} must be an object, not {_quoted(value)}")
            return
        for name, part in value.items():
            _read(part, shape.of, f"{where}.{name}", wrong)
    elif not isinstance(value, list):
        wrong.append(f"{where} must be a list, not {_quoted(value)}")
    elif isinstance(shape, Places):
        if len(value) != len(shape.of):
            wrong.append(f"{where} must have {len(shape.of)} values, not {len(value)}")
            return
        for at, (part, of) in enumerate(zip(value, shape.of, strict=True)):
            _read(part, of, f"{where}[{at}]", wrong)
    else:
        if len(value) < shape.least:
            wrong.append(f"{where} must have {shape.least} or more rows, not {len(value)}")
        for at, part in enumerate(value):
            _read(part, shape.of, f"{where}[{at}]", wrong)


def _read_keys(value: Any, shape: Keys, where: str, wrong: list[str]) -> None:
    if not isinstance(value, dict):
        wrong.append(f"{where or 'the export'} must be an object, not {_quoted(value)}")
        return
    if value.keys() != shape.parts.keys():
        at = where or "the export"
        wrong.extend(f"{at} has an unknown key {_quoted(key)}" for key in value if key not in shape.parts)
        missing = [key for key in shape.parts if key not in value and key not in shape.may_lack]
        wrong.extend(f"{at} lacks the key {key!r}" for key in missing)
    for key, part in shape.parts.items():
        if key in value:
            _read(value[key], part, f"{where}.{key}" if where else key, wrong)


def _twice(document: Mapping[str, Any]) -> Iterator[str]:
    """Rows with a name or number that another one has."""
    stages: Sequence[Mapping[str, Any]] = document["stages"]
    rounds = [played for stage in stages for played in stage["rounds"]]
    fixtures = [fixture for played in rounds for fixture in played["fixtures"]]
    yield from _repeated("entry", (entry["id"] for entry in document["entries"]))
    repeated = repeated_tie_break(document["tournament"]["tie_breaks"])
    if repeated is not None:
        yield f"tie-break {repeated} stands too often"
    yield from _repeated("stage", (stage["number"] for stage in stages))
    yield from _repeated("board set", (played["board_set"] for played in rounds))
    yield from _repeated(
        "place in the closing order", (seq for played in rounds if (seq := played["closed_seq"]) is not None)
    )
    yield from _repeated("fixture", (fixture["id"] for fixture in fixtures))
    yield from _repeated("table", (table["id"] for fixture in fixtures for table in fixture["tables"]))
    for stage in stages:
        where = f"stage {stage['number']}, "
        yield from _repeated(f"{where}round", (played["number"] for played in stage["rounds"]))
        yield from _repeated(f"{where}standing of", (row["entry"] for row in stage["standings"]))
        yield from _repeated(f"{where}field row of", (row["entry"] for row in stage["entries"]))
    for fixture in fixtures:
        where = f"fixture {fixture['id']}: "
        yield from _repeated(f"{where}entry", fixture["sides"])
        yield from _repeated(f"{where}score", ((row["board"], row["entry"]) for row in fixture["scores"]))
        for table in fixture["tables"]:
            where = f"table {table['id']}: "
            yield from _repeated(f"{where}seat", (seat["seat"] for seat in table["seats"]))
            yield from _repeated(f"{where}result of", ((board, seat) for board, seat, _ in table["results"]))


def _repeated(what: str, names: Iterable[Any]) -> Iterator[str]:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            yield f"{what} {name} stands twice"
        seen.add(name)


def labels_of(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The labels of a document, each with its place."""
    yield "tournament.name", value["tournament"]["name"]
    for at, entry in enumerate(value["entries"]):
        yield f"entries[{at}].player", entry["player"]
        if entry["partner"] is not None:
            yield f"entries[{at}].partner", entry["partner"]
        for number, version in enumerate(entry["versions"]):
            yield f"entries[{at}].versions[{number}].bot", version["bot"]


def _mislabelled(document: Mapping[str, Any]) -> Iterator[str]:
    """Labels whose hash is not that of their salt and text, where these were kept."""
    for where, label in labels_of(document):
        digest, salt, words = (label[key] for key in LABEL_KEYS)
        if digest is None:
            # Salts are drawn when the field is fixed; nothing can be verified before the secret is revealed.
            if document["tournament"]["secret"] is not None or salt is not None:
                yield f"{where}: the label has no hash"
        elif (salt is None) != (words is None):
            yield f"{where}: salt and text of a label are deleted together or not at all"
        elif salt is not None and not _is_label(digest, salt, words):
            yield f"{where}: its hash is not that of its salt and text"


def _is_label(digest: str, salt: str, words: str) -> bool:
    try:
        return label_hash(salt, words) == digest
    except UnicodeEncodeError:
        return False


def _quoted(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= QUOTED else words[:QUOTED] + "…"
