"""Results of deals with their reasons, and what the plays of one seat cost by the notes on the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.safestring import mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from viewer import cards, render
from viewer.markup import joined
from viewer.position import TablePosition
from viewer.scene import Scene
from viewer.shapes import View
from viewer.solver_notes import best_cards, step_cost, step_note
from viewer.texts import loss_text, viewer_texts
from viewer.tricks import result_reason
from viewer.turns import action_token, ending, step_token

MAX_REASONS = 4
"""Deals up to which each has its reason; longer games have them in the replay."""
MAX_OTHERS = 5
"""Costly plays that are linked besides the costliest."""


class CostlyPlay(NamedTuple):
    """A play or declaration of the seat with a cost."""

    where: str
    """Deal and trick or turn, as far as they distinguish plays."""
    cost: float
    cost_text: str
    sentence: str
    """The action, its cost and better actions; safe HTML if marked so."""
    href: str
    retry_href: str
    """Address of the position as a question; empty if there is none."""


class OwnCosts(NamedTuple):
    state: str
    """``waiting``, ``ready``, ``failed`` or ``down``."""
    worst: CostlyPlay | None = None
    others: list[CostlyPlay] = []
    summary: str = ""
    is_partial: bool = False
    """Whether some plays are not solved."""
    caption: str = ""
    is_exact: bool = True


def deal_reasons(view: View, around: render.Around) -> list[str]:
    """Return the pictures and reason of each deal's result; empty for games of many deals."""
    scenes = list(_scenes(view, around))
    if len(scenes) > MAX_REASONS:
        return []
    reasons = [_reason(scene) for scene in scenes]
    if len(scenes) == 1:
        return [text for text in reasons if text]
    colon = scenes[0].texts.colon
    return [f"{_deal_name(scene)}{colon}{text}" for scene, text in zip(scenes, reasons, strict=True) if text]


def own_costs(seat: int, view: View, state: str, around: render.Around) -> OwnCosts | None:
    """Return what the plays of a seat cost; None without notes. ``state``: that of the notes, or empty."""
    if not state:
        return None
    if state != "ready":
        return OwnCosts(state)
    plays: list[CostlyPlay] = []
    decisions, is_partial, is_exact = 0, False, True
    for scene in _scenes(view, around):
        notes, is_exact = scene.notes, scene.deck == "french"
        assert notes is not None, "the table has notes"
        own = [index for index, item in enumerate(scene.items) if item.get("s") == seat]
        judged = [step for step in own if (note := step_note(notes, step)) and "by" not in note]
        decisions += len(judged) if is_exact else notes.get("judged", {}).get(str(seat), 0)
        is_partial |= is_exact and (notes["from"] is None or any(step < notes["from"] for step in own))
        plays += _declarations(scene, seat)
        decisions += sum(note["seat"] == seat and "by" not in note for note in notes["declarations"].values())
        plays += [_play(scene, step) for step in judged if step_cost(notes, step)]
    plays.sort(key=lambda play: -play.cost)
    texts = viewer_texts(get_language() or "en")
    return OwnCosts(
        state,
        plays[0] if plays else None,
        plays[1 : 1 + MAX_OTHERS],
        _summary(decisions, plays, is_exact=is_exact),
        is_partial,
        _("If all hands were open and all seats played best. At the table, each seat saw only its own hand.")
        if is_exact
        else texts.house_rules,
        is_exact,
    )


def _scenes(view: View, around: render.Around) -> Iterator[Scene]:
    texts = viewer_texts(get_language() or "en")
    for board in view["boards"]:
        for deal in board["deals"]:
            start = TablePosition(board["board"], deal["deal"], 0)
            yield render.scene_of(view, start, texts=texts, around=around)


def _reason(scene: Scene) -> str:
    if scene.deck == "komatsu":
        return ending(scene)
    counts = scene.deal["end"].get("pictures", [])
    resting = set(scene.deal.get("resting", []))
    taken = [
        count
        for seats, count in zip(scene.view["sides"], counts, strict=False)
        if not resting.intersection(seats)
    ]
    score = ""
    if len(taken) == 2:
        score = _("%(more)d pictures to %(fewer)d.") % {"more": max(taken), "fewer": min(taken)}
    return scene.texts.sentences(score, result_reason(scene))


def _deal_name(scene: Scene) -> str:
    number = scene.deal["deal"] if len(scene.board["deals"]) > 1 else scene.board["board"]
    return scene.texts.deal.format(deal=number)


def _summary(decisions: int, plays: list[CostlyPlay], *, is_exact: bool) -> str:
    if not decisions:
        return _("No decision made a difference.")
    if not plays:
        if is_exact:
            return ngettext(
                "%(count)d decision mattered, and it cost nothing.",
                "%(count)d decisions mattered, and none cost a stone.",
                decisions,
            ) % {"count": decisions}
        return _("No decision has a significant cost.")
    total = sum(play.cost for play in plays)
    values = {
        "costly": len(plays),
        "count": decisions,
        "stones": loss_text(int(total) if is_exact else total),
    }
    return _("Decisions with a cost: %(costly)d of %(count)d. Stones lost by them: %(stones)s.") % values


def _declarations(scene: Scene, seat: int) -> Iterator[CostlyPlay]:
    notes, texts = scene.notes, scene.texts
    assert notes is not None, "the table has notes"
    for index, item in enumerate(scene.deal["before"]):
        note = notes["declarations"].get(str(index))
        if note is None or note["seat"] != seat or "by" in note or not note.get("cost"):
            continue
        cost = note.get("cost", 0)
        sentence = texts.sentences(scene.declaration(item), texts.counted(texts.declared_cost, cost))
        key = scene.stops.keys[scene.stops.declared]
        yield CostlyPlay(_where(scene, None), cost, loss_text(cost), sentence, _href(scene, key), "")


def _play(scene: Scene, step: int) -> CostlyPlay:
    notes, texts, item = scene.notes, scene.texts, scene.items[step]
    note, position = step_note(notes, step), scene.stops.position(step)
    assert note is not None, "the caller has looked"
    cost, key = step_cost(notes, step), scene.stops.keys[position]
    retry = ""
    if scene.deck == "french":
        name = texts.card_name(item["a"])
        paid = texts.counted(texts.cost_stones, int(cost), card=name[:1].upper() + name[1:])
        best = joined([cards.card_text(code, texts) for code in best_cards(note, scene.sign(item["s"]))], " ")
        better = joined([texts.better, texts.colon, best, texts.full_stop])
        sentence = joined([paid, better], texts.after_sentence)
        retry = _href(scene, key, "1") if "values" in note else ""
    else:
        best = joined([action_token(each, scene) for each in note["average"]["best"]], texts.comma)
        played = joined([step_token(item, scene), texts.full_stop])
        loss = texts.lost_on_average.format(loss=loss_text(cost))
        better = joined([texts.better, texts.colon, best, texts.full_stop])
        sentence = joined([played, loss, better], texts.after_sentence)
    where = _where(scene, scene.stops.group_of(position))
    return CostlyPlay(where, cost, loss_text(cost), mark_safe(sentence), _href(scene, key), retry)


def _href(scene: Scene, key: str, retry: str = "") -> str:
    return f"{scene.links.to(key, retry=retry)}#replay"


def _where(scene: Scene, group: int | None) -> str:
    texts, parts = scene.texts, []
    if len(scene.view["boards"]) > 1 or len(scene.board["deals"]) > 1:
        parts.append(_deal_name(scene))
    if group is not None:
        number = scene.stops.numbers[group]
        is_tricks = scene.deck == "french"
        parts.append(texts.trick.format(trick=number) if is_tricks else texts.turn.format(turn=number))
    return texts.comma.join(parts)
