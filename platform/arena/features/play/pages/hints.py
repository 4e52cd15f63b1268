"""Template context of the hint at a practice table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from arena.common.errors import ArenaError
from arena.common.features import SeatHint
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import SeatPosition, seat_position
from arena.features.play.practice import has_hint, hint_question
from arena.mounts import FEATURES
from viewer import cards
from viewer.markup import joined
from viewer.texts import ViewerTexts, loss_text, viewer_texts


class HintText(NamedTuple):
    state: str
    """``waiting``, ``ready``, ``none`` or ``down``."""
    best: str = ""
    as_good: str = ""
    """Actions whose loss is within the error; empty without any."""
    worse: str = ""
    """Other actions with their losses in stones."""
    deals: int = 0
    is_open: bool = False
    """Whether each deal was solved with all hands open."""
    caption: str = ""


def request_hint(table: CasualTable, person: Person, n: int) -> SeatHint | None:
    """Return the hint for the decision after ``n`` actions; the first call requests it.

    None if no feature makes hints. Raises as ``hint_question``, and ArenaError beyond a quota.
    """
    question = hint_question(table, n)
    hints = (feature.seat_hint(question, person.user, person.address) for feature in FEATURES)
    return next((hint for hint in hints if hint is not None), None)


def current_hint(table: CasualTable, person: Person) -> SeatHint | None:
    """Return the hint that the person has asked for at the current position; None without one."""
    position = seat_position(table)
    if not table.practice or table.hinted_at != position.n or not has_hint(position):
        return None
    try:
        return request_hint(table, person, position.n)
    except ArenaError:
        return SeatHint("down")


def hint_text(hint: SeatHint, position: SeatPosition, names: Mapping[str, str]) -> HintText:
    """Return the hint in words; ``names`` has the text of each legal action."""
    if hint.state != "ready":
        return HintText(hint.state)
    texts = viewer_texts(get_language() or "en")
    estimate: dict[str, Any] = hint.estimate
    is_card = position.observation["phase"] == "play"

    def named(action: str) -> str:
        return cards.card_text(action, texts) if is_card else names.get(action, action)

    actions = estimate["actions"]
    best = [each for each in actions if not each["loss"]]
    as_good = [each for each in actions if each["loss"] and each["is_equal"]]
    worse = [
        joined([named(each["action"]), " (", loss_text(each["loss"]), ")"])
        for each in actions
        if not each["is_equal"] and each["loss"]
    ]
    is_open = estimate["method"] == "open"
    return HintText(
        "ready",
        _listed([named(each["action"]) for each in best], texts),
        _listed([named(each["action"]) for each in as_good], texts),
        _listed(worse, texts),
        estimate["deals"],
        is_open,
        texts.averages if is_open else texts.house_rules,
    )


def _listed(parts: Sequence[str], texts: ViewerTexts) -> str:
    return mark_safe(joined(parts, texts.comma))
