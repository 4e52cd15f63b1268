"""An export taken apart and put together again: as it was changed, forged, or signed by the operator."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import zipfile
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from league.export_shape import CLOCK, FORMAT
from league.fairness import commitment, commitment_message
from league.statements import (
    ENDINGS,
    frame_digest,
    frame_lines,
    hash_labels,
    key_id,
    label,
    label_hash,
    signed_message,
    statement_digest,
)
from league.verify.statements import LOCKED_ENTRY, PLAN

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
"""The operator's own: what is signed anew is signed with it."""
PUBLIC = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
KEYS = {key_id(PUBLIC): PUBLIC}


class Archive(NamedTuple):
    """The members of an export."""

    document: dict[str, Any]
    records: dict[str, bytes]
    """By the hash that names each."""
    readme: bytes
    others: tuple[tuple[str, bytes], ...] = ()
    """Members besides, by name."""

    def copied(self) -> Archive:
        """One that can be changed without changing this one."""
        return self._replace(document=copy.deepcopy(self.document), records=dict(self.records))

    def packed(self, document: bytes | None = None) -> bytes:
        """The zip; ``document`` instead of its text."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("README.txt", self.readme)
            text = json.dumps(self.document).encode() if document is None else document
            archive.writestr("tournament.json", text)
            for sha256, record in self.records.items():
                archive.writestr(f"records/{sha256}.ndjson", record)
            for name, data in self.others:
                archive.writestr(name, data)
        return file.getvalue()


def unpacked(data: bytes) -> Archive:
    """The members of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        records = {
            name.removeprefix("records/").removesuffix(".ndjson"): archive.read(name)
            for name in archive.namelist()
            if name.startswith("records/")
        }
        return Archive(json.loads(archive.read("tournament.json")), records, archive.read("README.txt"))


def forged(archive: Archive, *, keeps_statements: bool = False) -> Archive:
    """With every hash computed again: names of records, labels, commitment, digests of statements.

    Statements say what the export now says, unless they keep what they say. Signatures stay.
    """
    made = archive.copied()
    document = made.document
    records = {hashlib.sha256(record).hexdigest(): record for record in made.records.values()}
    renamed = {name: hashlib.sha256(record).hexdigest() for name, record in made.records.items()}
    _tables_rename(document, renamed)
    _labels_hash(document)
    tournament = document["tournament"]
    if isinstance(tournament["secret"], str):
        tournament["commitment"] = commitment(bytes.fromhex(tournament["secret"]))
    previous = None
    for statement in document["statements"]:
        body = statement["body"]
        if not keeps_statements:
            _restate(document, body)
        if body["kind"] in ENDINGS:
            body["frame"], body["lines"] = frame_digest(frame_lines(document))
        body["previous"] = previous
        statement["digest"] = previous = statement_digest(body)
    return made._replace(records=records)


def posted(archive: Archive) -> Archive:
    """With its commitment signed by the operator's key as it is in the queue, if it is from there."""
    made = archive.copied()
    tournament = made.document["tournament"]
    queue = tournament.get("queue")
    if queue is not None:
        message = commitment_message(queue["number"], tournament["commitment"], queue["posted_at"])
        queue["key"], queue["signature"] = key_id(PUBLIC), KEY.sign(message).hex()
    return made


def signed(archive: Archive) -> Archive:
    """With every statement signed by the operator's key."""
    made = archive.copied()
    for statement in made.document["statements"]:
        statement["key"] = key_id(PUBLIC)
        statement["signature"] = KEY.sign(signed_message(statement["digest"])).hex()
    return made


def _tables_rename(document: dict[str, Any], renamed: dict[str, str]) -> None:
    for stage in document["stages"]:
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                for table in fixture["tables"]:
                    table["record_sha256"] = renamed.get(table["record_sha256"], table["record_sha256"])


def _labels_hash(value: Any) -> None:
    if isinstance(value, dict):
        if set(value) == {"hash", "salt", "text"} and isinstance(value["text"], str):
            value["hash"] = label_hash(value["salt"], value["text"])
        for part in value.values():
            _labels_hash(part)
    elif isinstance(value, list):
        for part in value:
            _labels_hash(part)


def _restate(document: dict[str, Any], body: dict[str, Any]) -> None:
    """The body of a statement as the export would have it."""
    body["tournament"] = document["tournament"]["id"]
    if body["kind"] == "opened":
        line = {key: part for key, part in document["tournament"].items() if key not in ("secret", "state")}
        body["settings"] = hash_labels(line)
        body["stages"] = [{key: stage[key] for key in PLAN} for stage in document["stages"]]
    elif body["kind"] == "locked":
        body["field_digest"] = document["stages"][0]["field_digest"]
        body["entries"] = [
            hash_labels({key: entry[key] for key in LOCKED_ENTRY})
            for entry in document["entries"]
            if entry["status"] in ("entered", "left")
        ]


def bound(document: dict[str, Any]) -> dict[str, Any]:
    """A document with labels, causes, and statements signed by ``KEY``."""
    made = copy.deepcopy(document)
    made["format"] = FORMAT
    tournament = made["tournament"]
    tournament.update(name=_label(tournament["name"]), kind="tournament", faults_before_forfeit=3)
    tournament["clock"] = dict.fromkeys(CLOCK.parts, 1000)
    tournament["tie_breaks"] = [name for name in tournament["tie_breaks"] if name != "lot"] + ["lot"]
    for entry in made["entries"]:
        entry.update(player=_label(entry["player"]), partner=None, own=False)
        for version in entry["versions"]:
            version["bot"] = _label(version["bot"])
    for stage in made["stages"]:
        stage["closed_early"] = stage["note"].startswith("closed early")
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                for table in fixture["tables"]:
                    table["cause"] = "" if table["state"] == "finished" else "internal"
    kinds = ["opened", "locked", "cancelled" if tournament["state"] == "cancelled" else "final"]
    made["statements"] = [
        {
            "kind": kind,
            "body": {
                "format": "rensho-statement/1",
                "kind": kind,
                "published_at": f"2026-01-0{day}T00:00:00+00:00",
                "previous": None,
                "tournament": tournament["id"],
            },
            "digest": "",
            "key": "",
            "signature": "",
        }
        for day, kind in enumerate(kinds, 1)
    ]
    return signed(forged(Archive(made, {}, b""))).document


def _label(text: str) -> dict[str, str]:
    return label(hashlib.sha256(text.encode()).hexdigest()[:32], text)
