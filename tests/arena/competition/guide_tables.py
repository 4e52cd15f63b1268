"""The tables of docs/organisers.md that follow from declarations. Run as a module it writes them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.common.declarations import ActionSpec, FieldSpec

REPOSITORY = Path(__file__).resolve().parents[3]
GUIDE = REPOSITORY / "docs" / "organisers.md"


def guide_tables() -> dict[str, str]:
    """Each table by the name of its markers."""
    from arena.competition import tournament_fields
    from arena.competition.models import Tournament
    from arena.competition.series import declarations as series_declarations
    from arena.competition.tournament_actions import ACTIONS, STATE_ACTIONS

    states = []
    for state in Tournament.State.values:
        fields = tournament_fields.EDITABLE.get(state, ())
        shown = "all" if len(fields) == len(tournament_fields.FIELDS) else ", ".join(fields)
        states.append((state, ", ".join(a.name for a in ACTIONS.values() if state in a.states), shown))
    return {
        "states": _table(("State", "Actions", "Fields"), states),
        "actions": _table(
            ("Action", "Meaning", "Who", "Reason", "Afterwards"),
            map(_row, STATE_ACTIONS.values()),
        ),
        "fields": _fields(tournament_fields.FIELDS),
        "series": _fields(series_declarations.FIELDS),
    }


def written(text: str) -> str:
    """The page with the tables of the declarations between their markers."""
    for name, table in guide_tables().items():
        markers = re.compile(rf"(<!-- {name} -->\n).*(<!-- /{name} -->)", re.DOTALL)
        text, count = markers.subn(lambda found, table=table: found[1] + table + found[2], text)
        assert count == 1, f"docs/organisers.md needs the markers {name}"
    return text


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(re.sub(r" +\|", " |", f"| {' | '.join(line)} |") + "\n" for line in lines)


def _row(action: ActionSpec) -> tuple[str, ...]:
    who = "lead organiser only" if action.lead_only else "all organisers"
    reason = "optional" if action.takes_reason else ""
    if action.needs_reason_with_entries:
        reason = "required once there are entries"
    return f"`{action.name}`", action.summary, who, reason, " ".join(action.ends)


def _fields(fields: Mapping[str, FieldSpec]) -> str:
    rows = [(f"`{name}`", _values(field), _default(field), str(field.help)) for name, field in fields.items()]
    return _table(("Field", "Values", "Default", "Meaning"), rows)


def _values(field: Any) -> str:
    if hasattr(field, "choices"):
        return ", ".join(f"`{code}`" for code in field.choices)
    if hasattr(field, "least"):
        return f"{field.least} to {field.most}"
    return f"{field.most} characters" if hasattr(field, "is_long") else ""


def _default(field: FieldSpec) -> str:
    if field.is_required:
        return "required"
    return f"`{field.default}`" if isinstance(field.default, int | str) and field.default != "" else ""


def main() -> None:
    """Write the tables into the page."""
    import django

    sys.path.insert(0, str(REPOSITORY / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.test")
    django.setup()
    GUIDE.write_text(written(GUIDE.read_text()))


if __name__ == "__main__":
    main()
