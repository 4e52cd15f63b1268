"""``rensho verify EXPORT``: derive a whole event, or a list of ratings, again from its export alone."""

from __future__ import annotations

import argparse
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from bots.kit.display.console import console_for, print_lines, print_result, text_table
from bots.kit.display.formatting import count_text
from bots.kit.errors import CHECK_FAILED, DONE, ENVIRONMENT_FAILURE, InvalidInput
from bots.kit.local.export_archive import ExportArchive
from bots.kit.local.site_keys import keys_read
from bots.kit.local.verify_ratings import is_list_export, list_verify
from bots.kit.subcommands import Commands, add_command
from engine.played import played_table
from engine.refusals import clipped, quoted
from league.proof import Claim, claims
from league.verify.export import FORMAT, findings, record_hashes
from league.verify.statements import is_unfinished, published_disagreements
from league.verify.unfinished import unfinished_findings

MAX_DOCUMENT_BYTES = 256 << 20
MAX_LINE_BYTES = 1 << 20
"""More than the first line of an export in lines has."""
MAX_ERROR_CHARS = 200
INCOMPLETE = ENVIRONMENT_FAILURE
"""The exit status where nothing disagrees, but not everything can be verified: the event is not over, or the
site has lost records."""
MAX_TABLES_NAMED = 10
UNVERIFIABLE_YET = (
    "deals, seats, forfeits, scores, pairings and standings, which follow from the secret; "
    "it is published at the end"
)
MAX_PRINTED = 1000
"""Disagreements, unless as JSON."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ExportVerification(NamedTuple):
    """What came out of an export."""

    document: dict[str, Any]
    disagreements: list[str]
    """One sentence each; empty if everything agrees."""
    proof: list[Claim]
    """What each thing rests on; empty if anything disagrees, and before the event is over."""
    is_over: bool
    """Without it there is no secret yet, and only part could be checked."""
    checked: list[str]
    """Of an event that is not over: what was checked, a few words each. Empty if anything disagrees."""
    unverified: list[str]
    """Ids of tables whose records the site has lost: what the export says of them is believed."""


def register(commands: Commands) -> None:
    """Add ``rensho verify``."""
    verify = add_command(
        commands,
        "verify",
        "derive a whole tournament, or a list of ratings, from its export, and report what disagrees",
        _verify,
        description="Derive a whole tournament, or a list of ratings, from its export, and report what "
        "disagrees. What cannot be derived of a tournament is checked against what the site published, if "
        "you give it: --commitment and --key. A list is compared with the exports of events that you give: "
        "--event.",
    )
    help_text = "the archive that rensho export saves, or the export of a list of ratings"
    verify.add_argument("file", type=Path, help=help_text)
    verify.add_argument(
        "--commitment",
        metavar="HEX",
        action="append",
        default=[],
        help="a published commitment of its secret, or digest of one of its statements; may be repeated",
    )
    verify.add_argument(
        "--key",
        metavar="FILE",
        help="the site's keys, saved from /.well-known/rensho-key, or one key in hex digits",
    )
    verify.add_argument(
        "--event",
        metavar="EXPORT",
        action="append",
        default=[],
        type=Path,
        help="with a list of ratings: the export of an event, whose board scores must be those of the list; "
        "may be repeated",
    )


def _verify(arguments: argparse.Namespace) -> int:
    if is_list_export(arguments.file):
        if arguments.commitment or arguments.key is not None:
            raise InvalidInput(
                f"{arguments.file} is a list of ratings: --commitment and --key go with a tournament"
            )
        return _verify_list(arguments)
    if _has_lines(arguments.file):
        raise InvalidInput(
            f"{arguments.file} is an export as lines, which has no records to verify: save the archive with "
            "rensho export, without --ndjson"
        )
    if arguments.event:
        raise InvalidInput(f"--event goes with a list of ratings, and {arguments.file} is none")
    commitments = [_digest(given) for given in arguments.commitment]
    keys = None if arguments.key is None else keys_read(arguments.key)
    verified = export_verify(arguments.file, commitments=commitments, keys=keys)
    found, proof = verified.disagreements, verified.proof
    event = verified.document["tournament"]

    def show() -> None:
        for line in found[:MAX_PRINTED]:
            print_lines(f"- {line}")
        verdict = "every deal, result, score and standing follows from the export"
        if verified.unverified:
            verdict = "everything that can be verified follows from the export"
        if found:
            verdict = count_text(len(found), "thing disagrees", "things disagree")
        elif not verified.is_over:
            verdict = f"not over yet ({event['state']}), so only part of it can be verified"
        print_lines(f"{_name(event)}: {verdict}.")
        if verified.unverified:
            print_lines(f"{unverified_text(verified.unverified)}.")
        if not verified.is_over and not found:
            for line in unfinished_lines(verified):
                print_lines(line)
        if proof:
            console_for().print()
            rows = [(claim.how, claim.what, claim.by) for claim in proof]
            console_for().print(text_table(("", "what it says", "what shows it"), rows, fold=(1, 2)))

    print_result(
        arguments,
        {
            "tournament": event.get("id"),
            "is_over": verified.is_over,
            "disagreements": found,
            "checked": verified.checked,
            "unverified": verified.unverified,
            "proof": [claim._asdict() for claim in proof],
        },
        show,
    )
    if found:
        return CHECK_FAILED
    return DONE if verified.is_over and not verified.unverified else INCOMPLETE


def unverified_text(tables: Sequence[str]) -> str:
    """Which tables cannot be verified, without a full stop."""
    named = ", ".join(tables[:MAX_TABLES_NAMED]) + (", …" if len(tables) > MAX_TABLES_NAMED else "")
    records = "its record" if len(tables) == 1 else "their records"
    return f"Not verified: {count_text(len(tables), 'table')}, as the site has lost {records} ({named})"


def unfinished_lines(verified: ExportVerification) -> tuple[str, str]:
    """What was checked of an event that is not over, and what could not be."""
    return (
        f"Checked, and it agrees: {', '.join(verified.checked)}.",
        f"Not yet: {UNVERIFIABLE_YET}. Export it again once it is final.",
    )


def _verify_list(arguments: argparse.Namespace) -> int:
    verified = list_verify(arguments.file, arguments.event)
    found = verified.disagreements

    def show() -> None:
        for line in found[:MAX_PRINTED]:
            print_lines(f"- {line}")
        for note in verified.events:
            print_lines(note)
        lines = f"{verified.rated} rated, {verified.unrated} not yet"
        how = "to the last digit" if verified.is_exact else "to a millionth of a stone"
        verdict = f"every line follows from the board scores, {how} ({lines})"
        if found:
            verdict = count_text(len(found), "thing disagrees", "things disagree")
        print_lines(f"{verified.name}: {verdict}.")

    print_result(arguments, verified._asdict(), show)
    return CHECK_FAILED if found else DONE


def export_verify(
    path: Path,
    file: BinaryIO | None = None,
    *,
    commitments: Collection[str] = (),
    keys: Mapping[str, bytes] | None = None,
) -> ExportVerification:
    """The event a file exports, everything in it that disagrees, and what the rest rests on.

    ``file`` is the file itself where it is open already; ``path`` is then its name for messages only.
    ``commitments`` are published digests, ``keys`` public keys of the site by id.

    Raises:
        InvalidInput: the file is missing or no export.
    """
    try:
        with zipfile.ZipFile(file or path) as opened:
            archive = ExportArchive(opened)
            document = archive.document(MAX_DOCUMENT_BYTES)
            if not isinstance(document["tournament"], dict):
                raise TypeError(f"its tournament is {quoted(document['tournament'])}")
            records = set(record_hashes(document))
            archive.expect(records)
            found: list[str] = []
            is_over = not is_unfinished(document)
            if document.get("format") == FORMAT:
                found += archive.disagreements()
            check = findings if is_over else unfinished_findings
            derived = check(document, archive.read, played_table)
            found += derived.disagreements
            if not derived.disagreements:
                found += published_disagreements(document, commitments, keys)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: there is no such file.") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        LookupError,
        TypeError,
        AttributeError,
        ValueError,
        RuntimeError,
        OSError,
        EOFError,
    ) as error:
        what = clipped(str(error), MAX_ERROR_CHARS)
        raise InvalidInput(
            f"{path} is no export of a tournament, or not all of one ({what}); download it again from "
            "/api/v1/tournaments/ID/export."
        ) from None
    proof, checked = [], []
    if not found and is_over:
        unverified = len(derived.unverified)
        proof = claims(document, commitments, is_signed=keys is not None, unverified=unverified)
    elif not found:
        verified = len(records) - len(derived.unverified)
        checked = _checked_parts(document, verified, is_signed=keys is not None)
    sentences = [clipped(sentence) for sentence in found]
    return ExportVerification(document, sentences, proof, is_over, checked, derived.unverified)


def _checked_parts(document: Mapping[str, Any], records: int, *, is_signed: bool) -> list[str]:
    """What is checked of an event that is not over."""
    statements = len(document.get("statements") or ())
    how = "signed by a key given" if is_signed else "whoever signed them: give --key"
    found = ["the form of the export"]
    if statements:
        found.append(f"{count_text(statements, 'statement')} ({how})")
    if records:
        found.append(f"{count_text(records, 'record')}, line by line by the rules")
    return found


def _has_lines(path: Path) -> bool:
    """Whether a file begins as an export in lines does; no for one that cannot be read."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(MAX_LINE_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("type") == "tournament"


def _digest(given: str) -> str:
    digest = given.strip().lower()
    if not _SHA256.fullmatch(digest):
        raise InvalidInput(f"--commitment {quoted(given)}: a digest has 64 hex digits, as the site shows it.")
    return digest


def _name(event: Mapping[str, Any]) -> str:
    """The event's name, or its id where the name was deleted."""
    name = event.get("name")
    if isinstance(name, dict):
        name = name.get("text")
    return str(name or event.get("id"))
