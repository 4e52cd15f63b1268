"""The content of a table's page: its replay at one position."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, Sealed, mark_translated, quoted
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.selectors import Viewer
from arena.matches.board_tables import other_tables
from arena.matches.models import Table
from arena.matches.replays import stored_notes, table_view
from arena.matches.selectors import is_sealed_for, table_faults, table_get
from arena.mounts import FEATURES
from arena.web.base.documents.links import verdict_address
from arena.web.base.labels import bot_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.drawing.board_costs import costs_of, plays_at, table_notes
from viewer import render
from viewer.cards import CRESTS
from viewer.markup import Html
from viewer.moment import NOTHING
from viewer.panels import help_dialog, live_region
from viewer.position import PositionError, first_position, parse_position
from viewer.scene import FieldPlay, Name, Scene
from viewer.shapes import View
from viewer.texts import ViewerTexts, viewer_texts

MAX_FIELD = 64
"""Maximum other tables whose plays are compared."""
MAX_SIDES_NAMED = 3
"""Maximum names in the heading of a table."""


Query = tuple[str, str, str]
"""Position, seat and retry as in the URL; each may be empty."""


class TablePage(NamedTuple):
    table: Table
    heading: str
    title: str
    """Title of the position; empty without a view."""
    position: str
    """Key of the position, such as ``b3t7p2``; empty without a view."""
    board: int
    replay: Html
    """HTML; empty without a view."""
    live_region: Html
    dialog: Html


def build_table_page(
    public_id: str, user: Viewer, position: str, seat: str = "", retry: str = ""
) -> TablePage:
    """Return a table at a position (``b3t7p2``, or empty), as seen by ``seat`` (or empty).

    ``retry`` asks for a better card than the costly play there, or is that card.

    Raises:
        NotFound: no such table for this viewer.
        Sealed: its boards are still open.
        Invalid: no such position, seat or card.
    """
    table = _open_table(public_id, user)
    heading = table_heading(table)
    texts = viewer_texts(get_language() or "en")
    view = _view(table)
    if view is None:
        return TablePage(table, heading, "", "", 0, NOTHING, NOTHING, NOTHING)
    replay = _replay(table, view, user, (position, seat, retry), texts)
    return TablePage(table, heading, *replay, live_region(f"{heading} · Rensho"), help_dialog(texts))


def _replay(
    table: Table, view: View, user: Viewer, query: Query, texts: ViewerTexts
) -> tuple[str, str, int, Html]:
    """Return title, key, board and replay of a position, cached by everything they depend on."""
    names, marks, faults = _names(table), _marks(table, view), _fault_pages(table, user)
    field, explorer = _field(table), _explorer(table)

    def rendered() -> tuple[str, str, int, Html]:
        around = _around(table, names, marks, faults, field, explorer)
        scene = scene_at(around, view, query, texts)
        key = scene.stops.keys[scene.moment.at]
        return render.position_title(scene), key, scene.board["board"], render.replay_of(scene, around)

    data = (table.view_sha256, field.versions(), explorer, repr((names, marks, faults)))
    key = CacheKey(("replay", table.public_id, *query), data, language=get_language())
    return process_cache.get_or_build(key, rendered, max_age_s=MAX_AGE_S)


def render_deal_fragment(public_id: str, user: Viewer, position: str) -> Html:
    """Render the part of the page that differs between deals, as seen by all seats.

    Raises:
        NotFound: no such table for this viewer.
        Sealed: its boards are still open.
        Invalid: no such position, or the table has no view.
    """
    table = _open_table(public_id, user)
    view = _view(table)
    if view is None:
        raise mark_translated(Invalid(_("This table has no replay."), "invalid", field="at"))
    names, marks, faults = _names(table), _marks(table, view), _fault_pages(table, user)
    around = _around(table, names, marks, faults, _field(table), _explorer(table))
    scene = scene_at(around, view, (position, "", ""), viewer_texts(get_language() or "en"))
    return render.deal_part(scene, around)


def _open_table(public_id: str, user: Viewer) -> Table:
    table = table_get(public_id, user)
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("This table", table.fixture.board_set.round.stage.tournament.public_id)
    return table


def _view(table: Table) -> View | None:
    stored = table_view(table)
    return None if stored is None else cast("View", json.loads(stored))


def scene_at(around: render.Around, view: View, query: Query, texts: ViewerTexts) -> Scene:
    """Return a view at a position. Raises Invalid, translated: no such position, seat or card."""
    position, seat, retry = query
    try:
        parsed = parse_position(position, view) if position else first_position(view)
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="at")) from None
    viewing_seat = _seat(seat, view)
    try:
        return render.scene_of(view, parsed, seat=viewing_seat, retry=retry, texts=texts, around=around)
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="retry")) from None


def _seat(text: str, view: View) -> int | None:
    if text in ("", "0"):
        return None
    seats = view["seats"]
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= seats):
        message = _("This table has no seat %(seat)s. Its seats are 1 to %(last)d.")
        raise mark_translated(
            Invalid(message % {"seat": quoted(text, 20), "last": seats}, "invalid", field="seat")
        )
    return int(text)


FaultPages = Mapping[tuple[int, int, int], str]
"""URLs of faults by seat, board, and index of the fault of this seat on this board."""


class TableField(NamedTuple):
    """A table, and others that played its boards."""

    table: Table
    others: Sequence[Table]
    notes: Mapping[int, str]
    """Hashes of public solver notes, by primary key of the table."""

    @property
    def notes_sha256(self) -> str:
        return self.notes.get(self.table.pk, "")

    def versions(self) -> tuple[tuple[str, str], ...]:
        """Return all that the plays and notes depend on."""
        return tuple((each.view_sha256, self.notes.get(each.pk, "")) for each in (self.table, *self.others))

    def plays_on(self, board: int) -> list[list[FieldPlay]]:
        """Return what the others played in each position of a single deal of Kakeya or Etori; else empty."""
        own = costs_of(self.table, self.notes_sha256).get(board)
        if own is None or not self.others:
            return []
        pages = {other.pk: other.public_id for other in self.others}
        costs = {
            other.pk: of_board
            for other in self.others
            if (of_board := costs_of(other, self.notes.get(other.pk, "")).get(board)) is not None
        }
        by_step = plays_at([decision.state for decision in own.decisions], costs)
        return [_field_plays(cards, pages) for cards in by_step]


def _field_plays(cards: Mapping[str, Sequence[tuple[int, str]]], pages: Mapping[int, str]) -> list[FieldPlay]:
    plays = []
    for card, tables in sorted(cards.items(), key=lambda pair: -len(pair[1])):
        table, key = tables[0]
        href = f"{reverse('web:table', args=[pages[table]])}?at={key}"
        plays.append(FieldPlay(card, len(tables), href))
    return plays


def _field(table: Table) -> TableField:
    """Return a table with others that played its boards, none while they are in play. Two queries."""
    compared = list(other_tables(table)[:MAX_FIELD])
    return TableField(table, compared, table_notes([table, *compared]))


def _explorer(table: Table) -> str:
    return next((address for feature in FEATURES if (address := feature.table_explorer(table))), "")


def _around(
    table: Table,
    names: Mapping[int, Name],
    marks: Mapping[int, int],
    faults: FaultPages,
    field: TableField,
    explorer: str = "",
) -> render.Around:
    """Return names, notes and links for the replay; links to faults only if the viewer may see them."""
    board_set = table.fixture.board_set.public_id
    # The viewer inserts the number of each board.
    board = reverse("web:board", args=[board_set, 0]).removesuffix("0") + "{board}"

    def fault(seat: int, verdict: str, board: int, index: int) -> str | None:
        # The fault's page for the owner and staff, else the meaning of the verdict.
        return faults.get((seat, board, index)) or verdict_address(verdict) or None

    stored = stored_notes(field.notes_sha256)
    notes: Any = None if stored is None else json.loads(stored)
    return render.Around(
        names,
        notes,
        fault_hrefs=fault,
        board_href=board,
        marks=marks,
        explore_href=explorer,
        field=field.plays_on if field.others else None,
    )


def table_around(table: Table, view: View) -> render.Around:
    """Return names, crests, notes and links for a table, without links to its faults."""
    return _around(table, _names(table), _marks(table, view), {}, TableField(table, (), table_notes([table])))


def _names(table: Table) -> dict[int, Name]:
    names = {}
    for row in table.seats.all():
        label = bot_label(row.version)
        href = reverse("web:bot", args=[label.page]) if label.page else None
        names[row.seat] = Name(f"{label.name} v{label.number}", href)
    return names


def _marks(table: Table, view: View) -> dict[int, int]:
    """Return the crest of each seat, as on the fixture's page.

    Empty if crests do not distinguish the sides: an entry sits on several sides, or there are too many sides.
    """
    sides = {member.entry_id: member.side for member in table.fixture.sides.all()}
    marks = {row.seat: sides[row.entry_id] for row in table.seats.all() if row.entry_id in sides}
    crests = {tuple({marks.get(seat, CRESTS) for seat in seats}) for seats in view["sides"]}
    are_apart = len(crests) == len(view["sides"]) and all(len(crest) == 1 for crest in crests)
    return marks if are_apart and all(crest[0] < CRESTS for crest in crests) else {}


def _fault_pages(table: Table, viewer: Viewer) -> FaultPages:
    return {
        key: reverse("web:fault", args=[version, fingerprint])
        for key, (version, fingerprint) in table_faults(table, viewer).items()
    }


def table_heading(table: Table) -> str:
    """Return the heading, such as ``house rules – house greedy, table 1``."""
    number = table.rotation + 1
    names = list(dict.fromkeys(row.version.bot.name for row in table.seats.all()))
    if len(names) > MAX_SIDES_NAMED:
        return _("%(count)d bots, table %(number)d") % {"number": number, "count": len(names)}
    return _("%(names)s, table %(number)d") % {"names": " – ".join(names), "number": number}
