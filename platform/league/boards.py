"""How a board set is cut into tables, so that no unit of work runs too long.

Source: docs/contracts.md#seating-and-results.
"""

from __future__ import annotations

TABLE_CPU_MS = 60_000
"""CPU all seats of a table together must stay under."""


def table_chunks(
    *, boards: int, seats: int, cpu_ms_per_board: int, cap_cpu_ms: int = TABLE_CPU_MS
) -> list[tuple[int, int]]:
    """First board and number of boards of each table of one rotation; boards count from 1.

    ``cpu_ms_per_board`` is what one seat may use on one board: its bank and its increments. As few
    tables as possible, their sizes differing by one at most. All fixtures and rotations of a set are
    cut alike. A board that alone needs more than the cap gets a table of its own: no cut helps it.

    >>> table_chunks(boards=20, seats=4, cpu_ms_per_board=780)
    [(1, 10), (11, 10)]
    """
    if boards < 1 or seats < 1 or cpu_ms_per_board < 0:
        raise ValueError(f"nothing to cut: {boards} boards, {seats} seats, {cpu_ms_per_board} ms a board")
    board_cpu_ms = seats * cpu_ms_per_board
    most = boards if board_cpu_ms == 0 else max(1, (cap_cpu_ms - 1) // board_cpu_ms)
    tables = -(-boards // most)
    size, longer = divmod(boards, tables)
    chunks = []
    first = 1
    for number in range(tables):
        count = size + (number < longer)
        chunks.append((first, count))
        first += count
    return chunks
