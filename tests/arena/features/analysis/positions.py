"""Positions that tests ask for over the API."""

from __future__ import annotations

import json
import re
from typing import Any

from analysis.process import position_line, position_values
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.solving import line_finish, line_position, position_claim, position_finish
from arena.matches.models import Table
from arena.matches.replays import table_view
from tests.arena.api.conftest import caller


def ask(of: Table, user: Any = None, board: int = 1, address: str = "192.0.2.1", **body: Any) -> Any:
    """The answer to a position of a board of the table's set."""
    client = caller(user)
    path = f"/api/v1/boards/{of.fixture.board_set.public_id}/{board}/solve"
    return client.post(path, body, format="json", REMOTE_ADDR=address)


def code(answer: Any) -> tuple[int, str]:
    """Status, and code, state or format."""
    found = answer.json()
    return answer.status_code, found.get("code") or found.get("state") or found["format"]


def steps_of(table: Table, board: int = 1) -> list[dict[str, Any]]:
    view = json.loads(table_view(table, board) or b"")
    steps: list[dict[str, Any]] = view["boards"][0]["deals"][0]["steps"]
    return steps


def solve_waiting() -> None:
    while (row := position_claim()) is not None:
        if (position := line_position(row)) is not None:
            line_finish(row, position_line(position), 0.01)
        else:
            position_finish(row, position_values(position_from_json(row.position)), 0.01)


def choices(html: str) -> list[tuple[str, str]]:
    """Address and row of each card."""
    rows = html.split('class="explore-choices"')[1].split("</table>")[0].split("<tr")[2:]
    return [(re.findall(r'href="([^"]+)"', row)[0].replace("&amp;", "&"), row) for row in rows]
