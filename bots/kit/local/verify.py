"""``rensho verify``: recompute a tournament, a rating list or a daily deal from published data."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from bots.kit.display.console import console_for, print_lines, print_result, text_table
from bots.kit.display.formatting import count_text
from bots.kit.errors import CHECK_FAILED, DONE, ENVIRONMENT_FAILURE, InvalidInput
from bots.kit.local.site_keys import keys_read
from bots.kit.local.verify_daily import daily_verify, is_address, is_daily
from bots.kit.local.verify_ratings import is_list_export, list_verify
from bots.kit.subcommands import Commands, add_command
from engine.played import played_table
from engine.refusals import clipped, quoted
from league.errors import ArchiveInvalid
from league.proof import Claim
from league.verify.archive import archive_verify

MAX_LINE_BYTES = 1 << 20
"""Maximum bytes of the first line of an NDJSON export."""
MAX_ERROR_CHARS = 200
INCOMPLETE = ENVIRONMENT_FAILURE
"""Exit status if nothing disagrees, but the tournament is not over, or the site has lost records."""
MAX_TABLES_NAMED = 10
UNVERIFIABLE_YET = (
    "deals, seats, forfeits, scores, pairings and standings, which depend on the secret that is "
    "published at the end"
)
MAX_PRINTED = 1000
"""Maximum disagreements in the text output."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ExportVerification(NamedTuple):
    document: dict[str, Any]
    disagreements: list[str]
    """One sentence each."""
    proof: list[Claim]
    """Evidence for each claim; empty if anything disagrees or the tournament is not over."""
    is_over: bool
    """False before the secret is published; only part can be verified then."""
    checked: list[str]
    """Verified parts of a tournament that is not over; empty if anything disagrees."""
    unverified: list[str]
    """Ids of tables whose records the site has lost. Their results are not verified."""


def register(commands: Commands) -> None:
    verify = add_command(
        commands,
        "verify",
        "recompute a tournament, a rating list or a daily deal, and report disagreements",
        _verify,
        description="Recompute a tournament or a rating list from its export, or the deal of a day from the "
        "API's answer, and report disagreements. Use --commitment and --key to check data that the file "
        "alone cannot prove against data that the site published. Use --tournament to compare a rating "
        "list with exports of tournaments.",
    )
    help_text = (
        "archive from rensho export, export of a rating list, or the deal of a day: a file saved with rensho "
        "api GET daily/DAY, or the address of its page"
    )
    verify.add_argument("file", help=help_text)
    verify.add_argument(
        "--commitment",
        metavar="HEX",
        action="append",
        default=[],
        help="published commitment to its secret, or digest of one of its statements; may be repeated",
    )
    verify.add_argument(
        "--key",
        metavar="FILE",
        help="the site's keys, saved from /.well-known/rensho-key, or one key in hex digits",
    )
    verify.add_argument(
        "--tournament",
        metavar="EXPORT",
        action="append",
        default=[],
        type=Path,
        help="with a rating list: export of a tournament whose board scores must match the list; may be "
        "repeated",
    )


def _verify(arguments: argparse.Namespace) -> int:
    if is_address(arguments.file) or is_daily(Path(arguments.file)):
        return _verify_daily(arguments)
    arguments.file = Path(arguments.file)
    if is_list_export(arguments.file):
        if arguments.commitment or arguments.key is not None:
            raise InvalidInput(
                f"{arguments.file} is the export of a rating list: --commitment and --key apply only to "
                "exports of tournaments"
            )
        return _verify_list(arguments)
    if _has_lines(arguments.file):
        raise InvalidInput(
            f"{arguments.file} is an NDJSON export, which has no records to verify: save the archive with "
            "rensho export, without --ndjson"
        )
    if arguments.tournament:
        raise InvalidInput(f"--tournament applies only to rating lists, and {arguments.file} is not one")
    commitments = [_digest(given) for given in arguments.commitment]
    keys = None if arguments.key is None else keys_read(arguments.key)
    verified = export_verify(arguments.file, commitments=commitments, keys=keys)
    disagreements, proof = verified.disagreements, verified.proof
    event = verified.document["tournament"]

    def show() -> None:
        for line in disagreements[:MAX_PRINTED]:
            print_lines(f"- {line}")
        verdict = "every deal, result, score and standing follows from the export"
        if verified.unverified:
            verdict = "everything that can be verified follows from the export"
        if disagreements:
            verdict = count_text(len(disagreements), "disagreement")
        elif not verified.is_over:
            verdict = f"not over yet ({event['state']}): only part of it can be verified"
        print_lines(f"{_name(event)}: {verdict}.")
        if verified.unverified:
            print_lines(f"{unverified_text(verified.unverified)}.")
        if not verified.is_over and not disagreements:
            for line in unfinished_lines(verified):
                print_lines(line)
        if proof:
            _print_proof(proof)

    print_result(
        arguments,
        {
            "tournament": event.get("id"),
            "is_over": verified.is_over,
            "disagreements": disagreements,
            "checked": verified.checked,
            "unverified": verified.unverified,
            "proof": [claim._asdict() for claim in proof],
        },
        show,
    )
    if disagreements:
        return CHECK_FAILED
    return DONE if verified.is_over and not verified.unverified else INCOMPLETE


def unverified_text(tables: Sequence[str]) -> str:
    """Return which tables are not verified, without a full stop."""
    named = ", ".join(tables[:MAX_TABLES_NAMED]) + (", …" if len(tables) > MAX_TABLES_NAMED else "")
    records = "its record" if len(tables) == 1 else "their records"
    return f"Not verified: {count_text(len(tables), 'table')}, because the site has lost {records} ({named})"


def unfinished_lines(verified: ExportVerification) -> tuple[str, str]:
    """Return what is verified of a tournament that is not over, and what is not."""
    return (
        f"Verified: {', '.join(verified.checked)}.",
        f"Not verifiable yet: {UNVERIFIABLE_YET}. Export the tournament again when it is final.",
    )


def _verify_daily(arguments: argparse.Namespace) -> int:
    if arguments.tournament:
        raise InvalidInput(f"--tournament applies only to rating lists, and {arguments.file} is not one")
    commitments = [_digest(given) for given in arguments.commitment]
    keys = None if arguments.key is None else keys_read(arguments.key)
    verified = daily_verify(arguments.file, commitments, keys)

    def show() -> None:
        verdict = "the day is not closed: only the statement can be verified"
        if verified.disagreement:
            verdict = verified.disagreement
        elif verified.is_closed:
            verdict = "the cards follow from the statement and the secret"
        print_lines(f"Daily deal of {verified.day}: {verdict}.")
        for seat, cards in verified.hands.items():
            print_lines(f"seat {seat}  {' '.join(cards)}")
        if verified.proof:
            _print_proof(verified.proof)

    print_result(
        arguments, {**verified._asdict(), "proof": [claim._asdict() for claim in verified.proof]}, show
    )
    if verified.disagreement:
        return CHECK_FAILED
    return DONE if verified.is_closed else INCOMPLETE


def _print_proof(proof: Sequence[Claim]) -> None:
    console_for().print()
    rows = [(claim.how, claim.what, claim.by) for claim in proof]
    console_for().print(text_table(("", "claim", "evidence"), rows, fold=(1, 2)))


def _verify_list(arguments: argparse.Namespace) -> int:
    verified = list_verify(arguments.file, arguments.tournament)
    disagreements = verified.disagreements

    def show() -> None:
        for line in disagreements[:MAX_PRINTED]:
            print_lines(f"- {line}")
        for note in verified.tournaments:
            print_lines(note)
        lines = f"{verified.rated} rated, {verified.unrated} not rated yet"
        how = "to the last digit" if verified.is_exact else "to a millionth of a stone"
        verdict = f"every line follows from the board scores, {how} ({lines})"
        if disagreements:
            verdict = count_text(len(disagreements), "disagreement")
        print_lines(f"{verified.name}: {verdict}.")

    print_result(arguments, verified._asdict(), show)
    return CHECK_FAILED if disagreements else DONE


def export_verify(
    path: Path,
    file: BinaryIO | None = None,
    *,
    commitments: Collection[str] = (),
    keys: Mapping[str, bytes] | None = None,
) -> ExportVerification:
    """Verify the export of a tournament.

    ``file`` is the open file, if any; ``path`` is then only its name in messages. ``commitments`` are
    published digests, ``keys`` public keys of the site by id. Raise ``InvalidInput`` for a missing file or
    another format.
    """
    try:
        verified = archive_verify(file or path, played_table, commitments=commitments, keys=keys)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file.") from None
    except ArchiveInvalid as error:
        reason = clipped(str(error), MAX_ERROR_CHARS)
        raise InvalidInput(
            f"{path} is not a complete export of a tournament ({reason}); download it again from "
            "/api/v1/tournaments/ID/export."
        ) from None
    checked: list[str] = []
    if not verified.disagreements and not verified.is_over:
        records = verified.records - len(verified.unverified)
        checked = _checked_parts(verified.document, records, is_signed=keys is not None)
    return ExportVerification(
        verified.document,
        [clipped(sentence) for sentence in verified.disagreements],
        verified.proof,
        verified.is_over,
        checked,
        verified.unverified,
    )


def _checked_parts(document: Mapping[str, Any], records: int, *, is_signed: bool) -> list[str]:
    """Return the verified parts of a tournament that is not over."""
    statements = len(document.get("statements") or ())
    how = "signed by a key given" if is_signed else "signatures not checked: use --key"
    parts = ["the format of the export"]
    if statements:
        parts.append(f"{count_text(statements, 'statement')} ({how})")
    if records:
        parts.append(f"{count_text(records, 'record')}, every line by the rules")
    return parts


def _has_lines(path: Path) -> bool:
    """Return whether a file begins like an NDJSON export; False for an unreadable file."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(MAX_LINE_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("type") == "tournament"


def _digest(given: str) -> str:
    digest = given.strip().lower()
    if not _SHA256.fullmatch(digest):
        raise InvalidInput(f"--commitment {quoted(given)} is not a digest: give 64 hex digits.")
    return digest


def _name(event: Mapping[str, Any]) -> str:
    name = event.get("name")
    if isinstance(name, dict):
        name = name.get("text")
    return str(name or event.get("id"))
