"""The replay of an imported table, made from the record in the archive."""

from __future__ import annotations

import io
import json
from typing import NamedTuple, cast

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import NotFound, mark_translated
from arena.common.process_cache import CacheKey, process_cache
from arena.features.imports.limits import LIMITS
from arena.features.imports.models import ImportedEvent
from arena.features.imports.selectors import import_archive
from arena.features.imports.summary import ImportedTable
from arena.web.base.documents.links import verdict_address
from arena.web.boards.table_page import Query, scene_at
from league.errors import ArchiveInvalid
from league.verify.archive import archive_record
from viewer import render
from viewer.build import ViewError, view_bytes, view_of
from viewer.markup import Html
from viewer.panels import help_dialog, live_region
from viewer.scene import Name
from viewer.shapes import View
from viewer.texts import viewer_texts

MAX_AGE_S = 600


class TableReplay(NamedTuple):
    heading: str
    title: str
    replay: Html
    part: Html
    """The part that differs between deals."""
    live_region: Html
    dialog: Html


def table_replay(event: ImportedEvent, table: ImportedTable, position: str, seat: str) -> TableReplay:
    """Return a table at a position (``b3t7p2``, or empty), as seen by ``seat`` (or empty).

    Raises NotFound (``view_not_found``) without a record, and Invalid: no such position or seat.
    """
    language = get_language() or "en"
    key = CacheKey(("imported replay", table["record"], position, seat), repr(table["seats"]), None, language)
    return process_cache.get_or_build(
        key, lambda: _rendered(event, table, (position, seat, ""), language), max_age_s=MAX_AGE_S
    )


def _rendered(event: ImportedEvent, table: ImportedTable, query: Query, language: str) -> TableReplay:
    texts = viewer_texts(language)
    names = {number: Name(bot or _("deleted bot")) for number, _entry, bot in table["seats"]}
    heading = " – ".join(dict.fromkeys(name.text for name in names.values()))
    around = render.Around(names, fault_hrefs=_verdict_href)
    scene = scene_at(around, _view(event, table), query, texts)
    return TableReplay(
        heading,
        render.position_title(scene),
        render.replay_of(scene, around),
        render.deal_part(scene, around),
        live_region(f"{heading} · Rensho"),
        help_dialog(texts),
    )


def _verdict_href(seat: int, verdict: str, board: int, index: int) -> str | None:
    return verdict_address(verdict) or None


def _view(event: ImportedEvent, table: ImportedTable) -> View:
    """Return the view of a table; its text is cached, since the whole archive is read for it."""

    def made() -> bytes:
        try:
            return view_bytes(
                view_of(archive_record(io.BytesIO(import_archive(event)), table["record"], LIMITS))
            )
        except (ArchiveInvalid, ViewError):
            raise mark_translated(NotFound(_("This table has no replay."), "view_not_found")) from None

    if not table["record"]:
        raise mark_translated(NotFound(_("This table has no replay."), "view_not_found"))
    stored = process_cache.get_or_build(CacheKey("imported view", table["record"]), made, max_age_s=MAX_AGE_S)
    return cast("View", json.loads(stored))
