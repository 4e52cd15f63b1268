"""The panel of notes: for each position the cost, the best cards, averages, and *retry* of costly plays."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from analysis.shapes import AverageLoss, StepNote
from viewer import cards
from viewer.field_plays import field_parts
from viewer.markup import Html, element, joined
from viewer.moment import ReplayMoment
from viewer.note_choices import choices_table, question_parts
from viewer.scene import Scene, declaration_text
from viewer.solver_notes import best_cards, card_values, step_cost, step_note
from viewer.texts import loss_text, signed
from viewer.turns import action_token

Kind = Literal["noted", "forced", "equal", "not_analysed", "not_judged"]
"""In Kakkuri, cards turned up and answers of the referee are not judged."""


def notes_panel(scene: Scene) -> Html:
    """Return the panel; for a reader with one hand, only the reason why it is empty."""
    texts = scene.texts
    assert scene.notes is not None, "the caller has looked"
    is_closed, is_tricks = scene.moment.seat is not None, scene.deck == "french"
    head = element("h2", None, texts.solver if is_tricks else texts.analysis)
    closed = element("p", {"data-for-seat": True, "class": None if is_closed else "gone"}, texts.for_all_only)
    kind = {"class": "replay-panel replay-notes"}
    if is_closed:
        return element("section", kind, head, closed)
    has_averages = any("average" in note for note in scene.notes["steps"].values())
    foot = [texts.all_known] if is_tricks else [texts.house_rules]
    if has_averages and is_tricks:
        foot.append(texts.averages)
    return element(
        "section",
        kind,
        element("div", {"class": "note-head"}, head, *_costly_links(scene)),
        *_declarations(scene),
        *_plays(scene),
        *field_parts(scene),
        *_values(scene),
        closed,
        *(element("p", {"class": "small"}, text) for text in foot),
    )


def costly_target(scene: Scene, direction: Literal[-1, 1]) -> str | None:
    """Return the key of the next or previous costly position of the table, in the order of play."""
    keys, costly = scene.stops.keys, scene.costly
    here = scene.retry.position if scene.retry else scene.moment.at
    if direction > 0:
        return next((key for key in costly.here if keys.index(key) > here), costly.after)
    return next((key for key in reversed(costly.here) if keys.index(key) < here), costly.before)


def _costly_links(scene: Scene) -> list[Html]:
    texts, costly = scene.texts, scene.costly
    if not any(costly):
        return []
    links = []
    directions: list[tuple[str, Literal[-1, 1], str]] = [
        ("costly-back", -1, texts.costly_back),
        ("costly-on", 1, texts.costly_on),
    ]
    for name, direction, text in directions:
        key = costly_target(scene, direction)
        attributes: dict[str, object] = {"data-control": name}
        if key is None:
            attributes |= {"role": "link", "aria-disabled": "true", "tabindex": "0"}
        else:
            attributes["href"] = scene.links.to(key, retry="1" if scene.retry and _is_play(key) else "")
        links.append(element("a", attributes, text))
    return [element("span", {"class": "note-links"}, *links)]


def _is_play(key: str) -> bool:
    return not key.endswith("l")


def _moment(scene: Scene, position: int) -> ReplayMoment:
    """Return the moment at which a note is drawn: a retry shows its note one position early, and no other."""
    if scene.retry is None:
        return scene.moment
    return scene.moment._replace(at=position if position == scene.retry.position else -1)


# Declarations and values


def _declarations(scene: Scene) -> list[Html]:
    texts, notes, declared = scene.texts, scene.notes, scene.stops.declared
    assert notes is not None, "the caller has looked"
    if not notes["declarations"] or not declared:
        return []
    rows = []
    for index, item in enumerate(scene.deal["before"]):
        note = notes["declarations"].get(str(index))
        if note is None:
            continue
        cost = note.get("cost", 0)
        sentence = scene.declaration(item)
        spent = texts.counted(texts.declared_cost, cost) if cost else texts.declared_nothing
        values = texts.comma.join(
            f"{declaration_text({**item, 'a': answer}, texts)} {signed(value)}"
            for answer, value in note["values"].items()
        )
        declared_text = element("b" if cost else "span", None, texts.sentences(sentence, spent))
        parts = [declared_text, texts.after_sentence, element("small", None, values)]
        rows.append(element("li", {"data-declaration": index}, *parts))
    moment = _moment(scene, declared)
    drawn = element("ul", {"class": "note-declarations"}, *rows)
    return [moment.timed("div", {"data-note": declared}, drawn, first=declared, until=declared + 1)]


def _values(scene: Scene) -> list[Html]:
    """Return the value with best play from here, once for all positions in a row that share it."""
    texts, parts = scene.texts, []
    for value, run in groupby(enumerate(scene.values), key=lambda pair: pair[1]):
        positions = [position for position, _ in run]
        if value is not None:
            text = texts.value_here.format(seats=scene.first_side, value=signed(value))
            first, until = positions[0], positions[-1] + 1
            parts.append(
                _moment(scene, -1).timed("p", {"class": "note-value"}, text, first=first, until=until)
            )
    return parts


# Plays


def _plays(scene: Scene) -> list[Html]:
    notes, texts = scene.notes, scene.texts
    assert notes is not None, "the caller has looked"
    is_tricks = scene.deck == "french"
    sentences = {
        "forced": texts.only_legal_card if is_tricks else texts.only_legal_action,
        "equal": texts.all_equal if is_tricks else texts.no_loss,
        "not_analysed": _not_analysed(scene),
    }
    parts: list[Html] = []
    for kind, group in groupby(range(len(scene.items)), key=lambda step: _kind(scene, step)):
        steps = list(group)
        first, until = scene.stops.position(steps[0]), scene.stops.position(steps[-1]) + 1
        if kind == "noted":
            parts += [_note(scene, step) for step in steps]
        elif kind != "not_judged":
            attributes = {"data-verdict-of-play": kind}
            parts.append(_moment(scene, -1).timed("p", attributes, sentences[kind], first=first, until=until))
    return parts


def _kind(scene: Scene, step: int) -> Kind:
    notes, item = scene.notes, scene.items[step]
    assert notes is not None, "the caller has looked"
    is_tricks = scene.deck == "french"
    if step_note(notes, step) is not None:
        return "noted"
    if "s" not in item or ("by" in item and not is_tricks):
        return "not_judged"
    if item.get("only"):
        return "forced"
    begins = notes["from"]
    return "not_analysed" if begins is None or (is_tricks and step < begins) else "equal"


def _not_analysed(scene: Scene) -> str:
    texts, notes = scene.texts, scene.notes
    begins = notes["from"] if notes else None
    if begins is None or scene.deck == "komatsu":
        return texts.not_analysed
    key = scene.stops.keys[scene.stops.position(begins)]
    return texts.sentences(texts.not_analysed, texts.analysed_from.format(key=key))


def _note(scene: Scene, step: int) -> Html:
    note, position = step_note(scene.notes, step), scene.stops.position(step)
    assert note is not None, "the caller has looked"
    moment, retry = _moment(scene, position), scene.retry
    has_question = bool(step_cost(scene.notes, step)) and "values" in note
    is_asked = retry is not None and retry.position == position
    parts = [element("div", _part("note", is_asked), *_verdict(scene, step, note, has_question))]
    if has_question:
        parts.append(element("div", _part("question", not is_asked), *question_parts(scene, step, note)))
    if "values" in note:
        is_hidden = is_asked and retry is not None and not retry.chosen
        parts.append(element("div", _part("values", is_hidden), choices_table(scene, step, note)))
    attributes = {"class": "replay-note", "data-note": position}
    return moment.timed("div", attributes, *parts, first=position, until=position + 1)


def _part(name: str, is_hidden: bool) -> dict[str, object]:
    return {"data-part": name, "class": "gone" if is_hidden else None}


def _verdict(scene: Scene, step: int, note: StepNote, has_question: bool) -> list[Html]:
    texts, item, cost = scene.texts, scene.items[step], step_cost(scene.notes, step)
    parts = []
    if scene.deck == "komatsu":
        return [_average_loss(scene, note, cost)]
    values, sign = card_values(note), scene.sign(item["s"])
    best = best_cards(note, sign)
    if cost:
        name = texts.card_name(item["a"])
        cost_text = texts.counted(texts.cost_stones, int(cost), card=name[:1].upper() + name[1:])
        cost_parts = [element("b", None, cost_text), *_kind_of_cost(scene, note)]
        parts.append(element("p", None, joined(cost_parts, texts.after_sentence)))
        could = texts.would_have.format(
            seats=scene.first_side, best=signed(values[best[0]]), value=signed(values.get(item["a"], 0))
        )
        parts.append(element("p", None, could))
    else:
        is_only = best == [item["a"]]
        text = texts.only_best if is_only else texts.one_of_best if best else texts.all_equal
        parts.append(element("p", None, text))
    if "average" in note:
        parts.append(element("p", None, _average(scene, note["average"])))
    if has_question:
        key = scene.stops.keys[scene.stops.position(step)]
        attributes = {"data-retry": scene.stops.position(step), "href": scene.links.to(key, retry="1")}
        parts.append(element("p", {"class": "note-links"}, element("a", attributes, texts.retry)))
    return parts


def _kind_of_cost(scene: Scene, note: StepNote) -> list[str]:
    if "kind" not in note:
        return []
    text = scene.texts.kinds[note["kind"]]
    return [element("span", {"class": "note-kind", "data-kind": note["kind"]}, text)]


def _average(scene: Scene, average: AverageLoss) -> Html:
    texts = scene.texts
    text = texts.average_loss.format(
        loss=loss_text(average["loss"]), error=loss_text(average["error"]), deals=f"{average['deals']:,}"
    )
    best = joined([cards.card_text(code, texts) for code in average["best"]], " ")
    return joined(
        [text, joined([texts.best_on_average, texts.colon, best, texts.full_stop])], texts.after_sentence
    )


def _average_loss(scene: Scene, note: StepNote, cost: float) -> Html:
    """Return the loss of an action of Kakkuri."""
    texts, average = scene.texts, note.get("average")
    if average is None or not cost:
        return element("p", None, texts.no_loss)
    loss = element("b", None, texts.lost_on_average.format(loss=loss_text(average["loss"])))
    best = texts.comma.join(action_token(action, scene) for action in average["best"])
    better = joined([texts.better, texts.colon, best, texts.full_stop])
    how = texts.lost_how.format(deals=f"{average['deals']:,}", error=loss_text(average["error"]))
    return element("p", None, joined([loss, better, how], texts.after_sentence))
