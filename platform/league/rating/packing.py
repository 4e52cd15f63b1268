"""Sets of scores as bytes, to be stored: the same sets give the same bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from league.rating.fixtures import SetScores

COMPRESSION_LEVEL = 6
"""Of compression, fixed: the bytes are compared."""


def pack_sets(sets: Iterable[SetScores]) -> bytes:
    """These sets as compressed JSON; some two bytes a board score."""
    rows = [set_to_row(one) for one in sorted(sets, key=lambda one: (one.board_set, one.members.shape[1:]))]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), COMPRESSION_LEVEL)


def unpack_sets(packed: bytes) -> tuple[SetScores, ...]:
    """The sets again, from the bytes of ``pack_sets``."""
    return tuple(set_from_row(row) for row in json.loads(zlib.decompress(packed)))


def set_to_row(one: SetScores) -> dict[str, Any]:
    """A set as plain values."""
    return {
        "board_set": one.board_set,
        "names": one.names,
        "fixtures": one.fixtures,
        "members": one.members.tolist(),
        "scores": one.scores.tolist(),
        "parts": one.parts,
        "is_ruled": one.is_ruled.tolist(),
    }


def set_from_row(row: Mapping[str, Any]) -> SetScores:
    """The set again, from the values of ``set_to_row``, which are taken as they are."""
    return SetScores(
        row["board_set"],
        tuple(row["names"]),
        tuple(row["fixtures"]),
        np.array(row["members"], np.int64),
        np.array(row["scores"], np.int64),
        row["parts"],
        np.array(row["is_ruled"], np.bool_),
    )
