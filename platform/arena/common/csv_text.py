"""CSV for spreadsheets, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from fractions import Fraction

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Characters with which a spreadsheet recognises a formula; some also know the wide forms."""
BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that the file is UTF-8."""
DIGITS = 6
"""Decimal places of fractions."""

Cell = str | int | float | Fraction | None


def csv_bytes(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return a file (RFC 4180). Texts that a spreadsheet would execute begin with an apostrophe.

    >>> csv_bytes(["name", "score"], [["=1+1", -0.5], ["aya", Fraction(1, 3)]]).decode("utf-8-sig")
    "name,score\\r\\n'=1+1,-0.5\\r\\naya,0.333333\\r\\n"
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return (BYTE_ORDER_MARK + file.getvalue()).encode()


def _cell(value: Cell) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else round(float(value), DIGITS)
    if isinstance(value, str):
        return f"'{value}" if value.lstrip(" ").startswith(FORMULA_STARTS) else value
    return round(value, DIGITS) if isinstance(value, float) else value
