"""Sets of scores as bytes for storage: equal sets give equal bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from league.rating.fixtures import SetScores

COMPRESSION_LEVEL = 6
"""Fixed, because the bytes are compared."""


def pack_sets(sets: Iterable[SetScores]) -> bytes:
    """Return these sets as compressed JSON, about two bytes per board score."""
    rows = [
        set_to_row(scores)
        for scores in sorted(sets, key=lambda scores: (scores.board_set, scores.members.shape[1:]))
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), COMPRESSION_LEVEL)


def unpack_sets(packed: bytes) -> tuple[SetScores, ...]:
    """Return the sets from the bytes of ``pack_sets``."""
    return tuple(set_from_row(row) for row in json.loads(zlib.decompress(packed)))


def set_to_row(scores: SetScores) -> dict[str, Any]:
    return {
        "board_set": scores.board_set,
        "names": scores.names,
        "fixtures": scores.fixtures,
        "members": scores.members.tolist(),
        "scores": scores.scores.tolist(),
        "parts": scores.parts,
        "is_ruled": scores.is_ruled.tolist(),
    }


def set_from_row(row: Mapping[str, Any]) -> SetScores:
    return SetScores(
        row["board_set"],
        tuple(row["names"]),
        tuple(row["fixtures"]),
        np.array(row["members"], np.int64),
        np.array(row["scores"], np.int64),
        row["parts"],
        np.array(row["is_ruled"], np.bool_),
    )
