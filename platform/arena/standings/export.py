"""Export of an event: an archive that ``rensho verify`` checks offline, or NDJSON lines."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, lost_blob_record
from arena.competition.export_data import entries_data, stage_data, tournament_data
from arena.competition.labels import labels_of
from arena.competition.models import Tournament
from arena.competition.selectors import Viewer, is_staff
from arena.standings.document import (
    ExportScope,
    event_lines,
    field_data,
    rounds_data,
    stages_exported,
    standings_data,
    statements_data,
)
from league.export_shape import LOST_RECORDS, README
from league.statements import FrameLine
from league.verify.export import FORMAT

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Fixed date of all files, so that the same event gives the same archive."""


def export_document(tournament: Tournament, *, with_open_sets: bool, with_secret: bool) -> dict[str, Any]:
    """Return the event as one value in memory. A fixed number of queries per stage and per 200 fixtures."""
    scope = ExportScope(with_open_sets, with_secret)
    labels = labels_of(tournament)
    return {
        "format": FORMAT,
        "tournament": tournament_data(tournament, labels, with_secret=with_secret),
        "entries": list(entries_data(tournament, labels)),
        "stages": [
            {
                **stage_data(stage),
                "entries": list(field_data(stage)),
                "rounds": [
                    {**played, "fixtures": list(fixtures)} for played, fixtures in rounds_data(stage, scope)
                ],
                "standings": list(standings_data(stage)),
            }
            for stage in stages_exported(tournament)
        ],
        "statements": list(statements_data(tournament)),
    }


def tournament_export(tournament: Tournament, user: Viewer) -> bytes:
    """Return the bytes of ``tournament_export_file``; for small events and tests."""
    with tournament_export_file(tournament, user) as file:
        return file.read()


def tournament_export_file(tournament: Tournament, user: Viewer) -> IO[bytes]:
    """Return a temporary zip file, at position 0, of the data that the viewer may have.

    Memory does not grow with the event. Lost records are listed in ``lost.json``.
    """
    scope = ExportScope(with_open_sets=is_staff(user))
    file = tempfile.TemporaryFile(prefix="rensho-export-")  # noqa: SIM115 - the caller's to close
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_zip_member("README.txt"), README)
            records: dict[str, None] = {}
            with archive.open(_zip_member("tournament.json"), "w", force_zip64=True) as member:
                for piece in _document_pieces(tournament, scope, records):
                    member.write(piece.encode())
            problems: dict[str, str] = {}
            for sha256 in records:
                try:
                    archive.writestr(_zip_member(f"records/{sha256}.ndjson"), blob_get(sha256))
                except (BlobMissing, BlobDamaged) as error:
                    lost_blob_record(sha256, error)
                    problems[sha256] = error.problem.value
            if problems:
                archive.writestr(_zip_member(LOST_RECORDS), _json_text({"records": problems}))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _zip_member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _document_pieces(tournament: Tournament, scope: ExportScope, records: dict[str, None]) -> Iterator[str]:
    """Yield the text of the document piecewise, and collect record hashes in ``records``."""

    def fixtures(fixture_values: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for fixture in fixture_values:
            records.update((t["record_sha256"], None) for t in fixture["tables"] if t["record_sha256"])
            yield fixture

    labels = labels_of(tournament)
    event = tournament_data(tournament, labels)
    yield f'{{"format": {_json_text(FORMAT)},\n"tournament": {_json_text(event)},\n'
    yield '"entries": '
    yield from _json_array(map(_json_text, entries_data(tournament, labels)))
    yield ',\n"stages": [\n'
    for index, stage in enumerate(stages_exported(tournament)):
        yield f'{"," if index else ""}{_json_object_start(stage_data(stage))}, "entries": '
        yield from _json_array(map(_json_text, field_data(stage)))
        yield ',\n"rounds": [\n'
        for number, (played, fixture_values) in enumerate(rounds_data(stage, scope)):
            yield f'{"," if number else ""}{_json_object_start(played)}, "fixtures": '
            yield from _json_array(map(_json_text, fixtures(fixture_values)))
            yield "}\n"
        yield '],\n"standings": '
        yield from _json_array(map(_json_text, standings_data(stage)))
        yield "}\n"
    yield '],\n"statements": '
    yield from _json_array(map(_json_text, statements_data(tournament)))
    yield "}\n"


def _json_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _json_object_start(value: dict[str, Any]) -> str:
    return _json_text(value).removesuffix("}")


def _json_array(values: Iterable[str]) -> Iterator[str]:
    yield "["
    for index, value in enumerate(values):
        yield f"{',' if index else ''}\n{value}"
    yield "]"


def export_lines(tournament: Tournament, viewer: Viewer) -> Iterator[bytes]:
    """Yield the event as NDJSON: one object with a ``type`` per line, always the same bytes.

    Memory does not grow with the event; a fixed number of queries per stage and per 200 fixtures. Staff also
    get sealed data. The last line is ``{"lines": n, "type": "end"}``; without it the export is incomplete.
    """
    lines = 0
    for kind, value in _lines(tournament, ExportScope(with_open_sets=is_staff(viewer))):
        lines += 1
        yield _json_text({"type": kind, **value}).encode() + b"\n"
    yield _json_text({"type": "end", "lines": lines}).encode() + b"\n"


def _lines(tournament: Tournament, scope: ExportScope) -> Iterator[FrameLine]:
    for kind, value in event_lines(tournament, scope):
        yield kind, {"format": FORMAT, **value} if kind == "tournament" else value
    for statement in statements_data(tournament):
        yield "statement", statement
