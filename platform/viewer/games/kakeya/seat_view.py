"""View of a seat of Kakeya and Etori: backs around the trick, and the own hand as buttons."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from engine.cards import PICTURES
from engine.games.kakeya.notation import LEAD, OVER, PLAY, TRICKS, TRUMP
from viewer import cards
from viewer.games.kakeya.deals import sorted_hands
from viewer.games.kakeya.scene import TableTrick, current_trick, finished_tricks
from viewer.markup import Html, element, joined
from viewer.mat import mat
from viewer.position_scene import Observation, SeatScene
from viewer.scene import declaration_text
from viewer.seat_view.pieces import SeatContext, SeatView, action_rows, choice, panel, seat_block
from viewer.texts import ViewerTexts
from viewer.tricks import trumps_corner


def trick_seat_view(context: SeatContext) -> SeatView:
    trick, done = current_trick(context.observation), finished_tricks(context.observation)
    hand = _sorted_hand(context)
    return SeatView(
        mat=_mat(context, trick),
        status=_status(context),
        choices=_choices(context, hand),
        panels=joined([_last_panel(context, done[-1] if done else None), _before_panel(context)]),
        said=_recent_actions(context, trick),
        spoken=(
            context.own_texts.your_hand.format(
                cards=context.listed(context.card_name(code, "french") for code in hand)
            ),
            _table_text(context, trick),
            context.spoken_legal([_choice_name(context, action) for action in _offered_actions(context)]),
        ),
        did=_own_action_text(context, context.own_last) if context.own_last else "",
        choice_names={action: _choice_name(context, action) for action in context.legal},
    )


def trick_deal_end(observation: Observation, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an observation that the last card of a deal and the end of its trick change."""
    match event["e"]:
        case "act" if observation["phase"] == PLAY:
            seat, code = event["seat"], event["action"]
            hand = [card for card in observation["hand"] if seat != observation["seat"] or card != code]
            return {"hand": hand, "trick": [*observation["trick"], [seat, code]]}
        case "trick":
            codes, winner = [code for _, code in observation["trick"]], event["winner"]
            side = str((winner - 1) % (observation["seats"] // 2) + 1)
            taken = [*observation["pictures"][side], *(code for code in codes if code in PICTURES)]
            done = {"leader": observation["trick"][0][0], "cards": codes, "winner": winner}
            return {
                "tricks": [*observation["tricks"], done],
                "trick": [],
                "pictures": {**observation["pictures"], side: taken},
            }
    return {}


# The mat


def _mat(context: SeatContext, trick: TableTrick) -> Html:
    observation, seats = context.observation, {seat.seat: seat for seat in context.scene.seats}
    blocks = [_seat(context, seats[seat]) for seat in context.others]
    return mat(
        f"play-mat play-of-{context.seats} play-tricks" + (" is-done" if trick.is_done else ""),
        _middle(context, trick),
        blocks,
        trumps_corner(observation["preset"], observation["trump"], observation["rensho"], context.texts),
        _captured(context),
    )


def _seat(context: SeatContext, seat: SeatScene) -> Html:
    texts = context.texts
    if not seat.is_active:
        return seat_block(context, seat, element("p", {"class": "seat-rests"}, texts.rests))
    bubbles = (
        [_declaration_text(context, seat.seat)]
        if _is_before_play(context) and str(seat.seat) in _declarations(context)
        else []
    )
    backs = cards.card_backs(seat.hidden, texts=texts, places=TRICKS)
    return seat_block(context, seat, element("div", {"class": "hand hand-fan"}, backs), bubbles=bubbles)


def _middle(context: SeatContext, trick: TableTrick) -> Html:
    texts, observation = context.texts, context.observation
    slots = [_slot(context, seat, trick) for seat in sorted(observation["active"])]
    heads = []
    if observation["phase"] == PLAY or trick.is_done:
        heads.append(element("b", None, texts.trick.format(trick=trick.number)))
    if trick.is_done:
        pattern = context.own_texts.took_short[min(trick.pictures, 2)]
        text = pattern.format(name=context.name(trick.winner), count=trick.pictures)
        heads.append(element("span", None, text))
    elif trick.cards:
        suit = trick.cards[0][1][1]
        heads.append(element("span", None, texts.suit_led.format(suit=texts.suits[suit])))
    elif observation["phase"] == LEAD:
        leaders = texts.any_of(map(context.name, observation["leaders"]))
        heads.append(element("span", None, context.own_texts.to_lead.format(names=leaders)))
    head = element("p", {"class": "trick-head"}, *heads)
    return element("div", {"class": f"mat-middle mat-trick mat-trick-{context.seats}"}, *slots, head)


def _slot(context: SeatContext, seat: int, trick: TableTrick) -> Html:
    laid = next((code for player, code in trick.cards if player == seat), None)
    empty = _empty_slot(context.name(seat))
    attributes = {
        "class": f"slot slot-{context.place(seat)}",
        "data-slot": seat,
        "data-acting": not trick.is_done and seat in context.observation["to_act"],
        "data-wins": seat == trick.winner,
    }
    drawn = [cards.card(laid, texts=context.texts)] if laid else []
    return element("span", attributes, empty, *drawn)


@lru_cache(cards.CACHE_SIZE)
def _empty_slot(text: str) -> Html:
    return element("span", {"class": "slot-empty", "aria-hidden": "true"}, element("i", None, text))


def _captured(context: SeatContext) -> Html:
    texts = context.texts
    rows = []
    for seat, codes in sorted(context.observation["pictures"].items(), key=lambda item: int(item[0])):
        taken = [element("span", None, cards.card_text(code, texts), " ") for code in codes]
        members = (int(seat), int(seat) + context.seats // 2)
        # The reader is named first.
        first, second = map(context.name, sorted(members, key=lambda member: member != context.seat))
        pair = context.own_texts.between_partners.format(first=first, second=second)
        rows.append(
            element(
                "span",
                {"class": "mat-taken"},
                cards.mark(context.side(int(seat))),
                element("span", {"class": "unseen"}, pair),
                " ",
                element("b", None, str(len(codes))),
                element("span", {"class": "mat-taken-cards"}, *taken),
            )
        )
    title = element("span", {"class": "mat-taken-head"}, texts.pictures_taken)
    return element("div", {"class": "mat-corner mat-captured"}, title, *rows)


# The own hand


def _sorted_hand(context: SeatContext) -> list[str]:
    observation = context.observation
    return sorted_hands({context.seat: observation["hand"]}, observation["trump"])[str(context.seat)]


def _status(context: SeatContext) -> Html:
    own, texts, observation = context.own_texts, context.texts, context.observation
    phase = observation["phase"]
    if phase == OVER:
        return context.status(own.over)
    if not context.legal:
        rests = own.rests if context.seat not in observation["active"] and phase != TRUMP else ""
        return context.status(rests or context.waiting(), context.waiting() if rests else "")
    if phase == TRUMP:
        return context.status(own.your_turn, own.asks_trump.format(suit=texts.suits[observation["trump"]]))
    if phase == LEAD:
        reveals = own.lead_reveals.get(context.legal[0], "")
        return context.status(own.your_turn, own.asks_lead, reveals)
    trick = observation["trick"]
    if not trick:
        return context.status(own.your_turn, own.you_lead)
    led = trick[0][1][1]
    suit = texts.suits[led]
    other_suits = [code for code in context.legal if code[1] != led]
    if len(other_suits) == len(context.legal):
        return context.status(own.your_turn, own.cannot_follow.format(suit=suit))
    if other_suits:
        return context.status(
            own.your_turn, own.follow_or.format(suit=suit, card=texts.card_name(other_suits[0]))
        )
    return context.status(own.your_turn, own.follow.format(suit=suit))


def _choices(context: SeatContext, hand: list[str]) -> Html:
    own = context.own_texts
    is_play = context.observation["phase"] == PLAY
    legal = frozenset(context.legal if is_play else ())
    suits = [
        element(
            "span",
            {"class": "play-suit"},
            *(_hand_card(context.texts, code, code in legal) for code in codes),
        )
        for _, codes in groupby(hand, key=lambda code: code[1])
    ]
    buttons = [
        choice(action, *_button_content(context, action))
        for action in _offered_actions(context)
        if action not in legal
    ]
    # An empty line keeps its height, so that the hand does not move when play begins.
    group = {"role": "group", "aria-label": own.choices} if buttons else {}
    parts = [element("div", {"class": "play-actions", **group}, *buttons)]
    kind = "play-hand play-fan" + ("" if is_play else " play-idle")
    attributes = {"class": kind, "role": "group", "aria-label": own.hand}
    parts.append(element("div", attributes, *suits))
    return joined(parts)


@lru_cache(cards.CACHE_SIZE)
def _hand_card(texts: ViewerTexts, code: str, is_legal: bool) -> Html:
    attributes = {"disabled": not is_legal, "aria-label": texts.card_name(code)}
    drawn = cards.card(
        code, texts=texts, attributes={"aria-hidden": "true", "aria-label": None, "role": None}
    )
    return choice(code, drawn, kind="play-card", attributes=attributes)


def _offered_actions(context: SeatContext) -> list[str]:
    """Return the actions with a button; the applicable suit is proposed by ``KEEP``."""
    if context.observation["phase"] == TRUMP:
        return [action for action in context.legal if action != context.observation["trump"]]
    return list(context.legal)


def _button_content(context: SeatContext, action: str) -> list[str]:
    texts, trump = context.texts, context.observation["trump"]
    if action in texts.suits:
        text = context.own_texts.suit_trumps.format(suit=texts.suits[action])
        return [element("span", {"aria-hidden": "true"}, cards.suit_text(action, texts)), " ", text]
    return [_action_label(context, action, trump)]


def _action_label(context: SeatContext, action: str, trump: str) -> str:
    pattern = context.own_texts.answers.get(f"{context.observation['phase']} {action}", action)
    return pattern.format(suit=context.texts.suits[trump])


def _choice_name(context: SeatContext, action: str) -> str:
    if context.observation["phase"] == PLAY:
        return context.texts.card_name(action)
    return context.texts.suits.get(action) or _action_label(context, action, context.observation["trump"])


# Previous events


def _declarations(context: SeatContext) -> dict[str, str]:
    observation = context.observation
    declarations: dict[str, str] = dict(observation["declarations"])
    return declarations


def _is_before_play(context: SeatContext) -> bool:
    """Return whether the mat still displays the declarations before the first card."""
    observation = context.observation
    return not observation["tricks"] and len(observation["trick"]) <= 1


def _declaration_text(context: SeatContext, seat: int) -> str:
    return declaration_text({"k": "lead", "s": seat, "a": _declarations(context)[str(seat)]}, context.texts)


def _last_panel(context: SeatContext, trick: TableTrick | None) -> Html:
    own = context.own_texts
    if trick is None:
        return panel(own.last_trick, "play-last", element("p", {"class": "quiet"}, own.nothing_yet))
    laid = [
        element(
            "li",
            {"data-wins": seat == trick.winner},
            cards.card(code, texts=context.texts),
            element("span", None, context.name(seat)),
        )
        for seat, code in trick.cards
    ]
    text = own.took[min(trick.pictures, 2)].format(
        name=context.first_name(trick.winner), count=trick.pictures
    )
    return panel(
        own.last_trick, "play-last", element("ol", None, *laid), element("p", {"class": "quiet"}, text)
    )


def _before_panel(context: SeatContext) -> Html:
    texts, own = context.texts, context.own_texts
    proposals = [
        (int(seat), declaration_text({"k": "trump", "s": int(seat), "a": proposal}, texts))
        for seat, proposal in sorted(context.observation["proposals"].items())
    ]
    declared = [(int(seat), _declaration_text(context, int(seat))) for seat in sorted(_declarations(context))]
    parts = [action_rows(context, rows) for rows in (proposals, declared) if rows]
    if not parts and (context.observation["trick"] or context.observation["tricks"]):
        return Html("")
    return panel(
        own.before_lead, "play-before", *(parts or [element("p", {"class": "quiet"}, own.nothing_yet)])
    )


# Spoken


def _recent_actions(context: SeatContext, trick: TableTrick) -> str:
    """Return the last actions of others, and the winner of the trick, as sentences."""
    own, texts = context.own_texts, context.texts
    parts = []
    for seat, action in context.last:
        if _is_card(context, action):
            parts.append(own.plays.format(name=context.first_name(seat), card=texts.card_name(action)))
        else:
            parts.append(
                own.does.format(name=context.first_name(seat), said=_action_text(context, seat, action))
            )
    if trick.is_done:
        name = context.first_name(trick.winner)
        parts.append(own.took[min(trick.pictures, 2)].format(name=name, count=trick.pictures))
    return texts.sentences(*parts)


def _is_card(context: SeatContext, action: str) -> bool:
    return len(action) == 2 and action[1:] in context.texts.suits


def _own_action_text(context: SeatContext, action: str) -> str:
    return context.own_texts.answers.get(f"lead {action}") or _action_text(context, context.seat, action)


def _action_text(context: SeatContext, seat: int, action: str) -> str:
    """Return a card by its name, any other action as a declaration."""
    if _is_card(context, action):
        return context.texts.card_name(action)
    kind = "trump" if action == "KEEP" or action in context.texts.suits else "lead"
    return declaration_text({"k": kind, "s": seat, "a": action}, context.texts)


def _table_text(context: SeatContext, trick: TableTrick) -> str:
    own = context.own_texts
    laid = [
        own.of_seat.format(card=context.texts.card_name(code), name=context.name(seat))
        for seat, code in trick.cards
    ]
    return own.on_the_table.format(cards=context.listed(laid)) if laid else own.table_empty
