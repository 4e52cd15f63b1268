"""Export of a rating list as lines: board scores and resulting ratings, as input of ``rensho verify``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena.features.ratings.board_scores import unpack_cached
from arena.features.ratings.models import Line, RatedSet, Rating, RatingList
from arena.features.ratings.pairs import rulings_on
from league.rating.derive import FORMAT
from league.rating.packing import set_to_row

LIST_FIELDS = (
    *("kind", "game", "preset", "board_kind", "seats", "season", "ladder_season"),
    *("revision", "digest", "sets", "fixtures", "boards", "rated", "unrated"),
)
ROWS_PER_FETCH = 500


def list_export_lines(rating_list: RatingList) -> Iterator[bytes]:
    """Stream the list as NDJSON: one object per line, with a ``type``.

    ``list`` comes first, then a ``set`` for each board set and shape of its fixtures, a ``line`` for each
    rating, and ``{"type": "end", "lines": n, "revision": r}``. If the last revision differs from the first,
    fetch it again. Memory is independent of the list's size. Four queries, and one per 500 lines or sets.
    """
    count = 0
    for kind, value in _rows(rating_list):
        count += 1
        yield _json_line({"type": kind, **value})
    now = RatingList.objects.values_list("revision", flat=True).get(pk=rating_list.pk)
    yield _json_line({"type": "end", "lines": count, "revision": now})


def _json_line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def left_out_rows(rating_list: RatingList) -> list[dict[str, Any]]:
    """Return the pairs excluded by a ruling, with actor and reason. One query."""
    holding = rulings_on(rating_list).filter(lifted_at=None).order_by("pk")
    return [
        {
            "versions": [row.first.public_id, row.second.public_id],
            "bundles": [row.first.bundle_sha256, row.second.bundle_sha256],
            "reason": row.reason,
            "by": row.actor.username,
            "created_at": row.created_at.isoformat(),
        }
        for row in holding
    ]


def _reference(rating_list: RatingList) -> dict[str, str] | None:
    if rating_list.reference is None:
        return None
    return {"version": rating_list.reference.public_id, "partner": rating_list.reference_partner}


def _rows(rating_list: RatingList) -> Iterator[tuple[str, dict[str, Any]]]:
    fields = {name: getattr(rating_list, name) for name in LIST_FIELDS}
    computed_at = rating_list.computed_at.isoformat() if rating_list.computed_at else None
    stated = {"format": FORMAT, "id": rating_list.public_id, "computed_at": computed_at, **fields}
    yield "list", {**stated, "reference": _reference(rating_list), "left_out": left_out_rows(rating_list)}
    sets = RatedSet.objects.filter(list=rating_list).exclude(scores=b"").order_by("board_set__closed_seq")
    tournaments = "board_set__round__stage__tournament__public_id"
    for scores, tournament in sets.values_list("scores", tournaments).iterator(ROWS_PER_FETCH):
        for set_scores in unpack_cached(bytes(scores)):
            yield "set", {"tournament": tournament, **set_to_row(set_scores)}
    rows = Rating.objects.filter(list=rating_list).select_related("version__bot__owner")
    for row in rows.order_by("-lines_after").iterator(ROWS_PER_FETCH):
        version = row.version
        figures = {name: getattr(row, name) for name in Line.FIGURES} if row.is_rated else None
        has_difference = row.difference is not None
        difference = {name: getattr(row, name) for name in Line.DIFFERENCE} if has_difference else None
        yield (
            "line",
            {
                "version": version.public_id,
                "partner": row.partner,
                "bot": version.bot.name,
                "number": version.number,
                "player": version.bot.owner.handle,
                "bundle_sha256": version.bundle_sha256,
                "figures": figures,
                "difference": difference,
                "fixtures": row.fixtures,
                "boards": row.boards,
                "degrees": row.degrees,
                "reasons": row.reasons,
            },
        )
