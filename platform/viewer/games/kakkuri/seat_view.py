"""View of a seat of Kakkuri: the meld to follow, and the own hand as buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.kakkuri.melds import VALUES
from engine.games.kakkuri.notation import DROP
from engine.games.kakkuri.state import DEALING, OVER, SWAPPING, TURNS
from viewer import cards
from viewer.cards import komatsu_value
from viewer.games.kakkuri.scene import ACT_KINDS, following_text, meld_cards, meld_value
from viewer.markup import Html, element, joined
from viewer.mat import mat
from viewer.position_scene import Observation, SeatScene
from viewer.seat_view.pieces import SeatContext, SeatView, action_rows, choice, panel, seat_block


def turn_seat_view(context: SeatContext) -> SeatView:
    own = context.own_texts
    hand = _sort_hand(context, context.observation["hand"])
    last = _last_meld(context)
    on_table = own.on_the_table.format(
        cards=context.listed(context.card_name(code, "komatsu") for code in last)
    )
    return SeatView(
        mat=_mat(context, last),
        status=_status(context),
        choices=_choices(context, hand),
        panels=_panels(context),
        said=_recent_actions(context),
        spoken=(
            own.your_hand.format(cards=context.listed(context.card_name(code, "komatsu") for code in hand)),
            context.texts.sentences(
                on_table, following_text(context.observation, context.texts) + context.texts.full_stop
            )
            if last
            else own.table_empty,
            context.spoken_legal([_choice_name(context, action) for action in context.legal]),
        ),
        did=_own_action_text(context, context.own_last) if context.own_last else "",
        choice_names={action: _choice_name(context, action) for action in context.legal},
    )


def turn_deal_end(observation: Observation, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an observation that the last meld of a deal changes."""
    if event["e"] != "act" or "@" not in event["action"]:
        return {}
    seat, meld = event["seat"], event["action"]
    laid, sizes = meld_cards(meld), observation["hand_sizes"]
    return {
        "hand": [card for card in observation["hand"] if seat != observation["seat"] or card not in laid],
        "plays": [*observation["plays"], [seat, meld]],
        "played_this_turn": observation["played_this_turn"] + 1,
        "follow": meld_value(meld),
        "hand_sizes": {**sizes, str(seat): sizes[str(seat)] - len(laid)},
    }


# The mat


def _mat(context: SeatContext, last: Sequence[str]) -> Html:
    seats = {seat.seat: seat for seat in context.scene.seats}
    blocks = [_seat(context, seats[seat]) for seat in (*context.others, context.seat)]
    return mat(f"play-mat play-of-{context.seats} play-turns", _middle(context, last), blocks)


def _seat(context: SeatContext, seat: SeatScene) -> Html:
    hand = []
    if seat.seat != context.seat:
        backs = [cards.card_backs(seat.hidden, "komatsu", context.texts)] if seat.hidden else []
        hand = [element("div", {"class": "hand hand-flat"}, *backs)]
    melds = [meld for player, meld in context.observation["plays"] if player == seat.seat]
    piles = [
        element("span", {"class": "seat-meld"}, *(_card(context, code) for code in meld_cards(meld)))
        for meld in melds
    ]
    text = seat.said or ("" if piles else context.own_texts.no_card_yet)
    standing = [element("span", {"class": "seat-pile-empty"}, text)] if text else []
    pile = element("p", {"class": "seat-pile"}, *standing, *piles)
    return seat_block(context, seat, *hand, pile, bubbles=_bubbles(context, seat.seat))


def _card(context: SeatContext, code: str, attributes: dict[str, object] | None = None) -> Html:
    return cards.card(code, "komatsu", texts=context.texts, court=context.court, attributes=attributes)


def _bubbles(context: SeatContext, seat: int) -> list[str]:
    """Return the last action of the seat, unless it was a card."""
    did = [action for player, action in context.last if player == seat]
    if not did or did[-1] not in ACT_KINDS or did[-1] in (DROP, "SANSOKU"):
        return []
    return [context.texts.acts[ACT_KINDS[did[-1]]]]


def _last_meld(context: SeatContext) -> list[str]:
    """Return the cards to follow: the last meld, or the card turned up since."""
    observation = context.observation
    follow, plays, turned = observation["follow"], observation["plays"], observation["turned"]
    if follow is None:
        return []
    is_turned = not plays or (observation["turned_this_turn"] and not observation["played_this_turn"])
    if is_turned or (turned and meld_value(plays[-1][1]) != follow):
        return [turned[-1]] if turned else []
    return meld_cards(plays[-1][1])


def _middle(context: SeatContext, last: Sequence[str]) -> Html:
    observation, texts = context.observation, context.texts
    if last:
        played = observation["plays"][-1] if observation["plays"] else None
        by = played[0] if played and meld_cards(played[1]) == list(last) else None
        follow = observation["follow"]
        caption = (
            texts.turned_up.format(value=follow)
            if by is None
            else context.own_texts.value_by.format(value=follow, name=context.name(by))
        )
        laid = [element("span", {"class": "follow-laid-cards"}, *(_card(context, code) for code in last))]
    else:
        caption, laid = texts.nothing_played, [element("span", {"class": "follow-laid-empty"})]
    face = element("span", {"class": "follow-laid"}, *laid, element("small", None, caption))
    back = Html('<svg class="card-face card-komatsu"><use href="#k-back"/></svg>')
    box = element(
        "span",
        {"class": "follow-box"},
        element("span", {"class": "follow-box-cards", "aria-hidden": "true"}, back),
        element("small", None, texts.box, " ", element("b", None, str(observation["box_size"]))),
    )
    pot = observation["pot"]
    return element(
        "div",
        {"class": "mat-middle mat-follow"},
        element(
            "p",
            {"class": "follow-head"},
            element("b", None, following_text(context.observation, context.texts)),
        ),
        element("div", {"class": "follow-cards"}, face, box),
        element("p", {"class": "follow-pot"}, texts.pot[pot > 0].format(count=pot)),
    )


# The own hand


def _sort_hand(context: SeatContext, hand: Sequence[str]) -> list[str]:
    return sorted(hand, key=lambda code: (komatsu_value(code, context.court), code))


def _status(context: SeatContext) -> Html:
    own, texts, observation = context.own_texts, context.texts, context.observation
    phase = observation["phase"]
    if phase == OVER:
        return context.status(own.over)
    if not context.legal:
        return context.status(context.waiting())
    if phase == DEALING:
        return context.status(own.your_turn, own.asks_deal)
    if phase == SWAPPING:
        return context.status(own.your_turn, own.asks_swap, own.why_swap)
    values = sorted({meld_value(action) for action in context.legal if "@" in action})
    if values:
        text = (
            texts.any_follows + texts.full_stop
            if len(values) == len(VALUES)
            else own.may_play.format(values=texts.any_of(values))
        )
        return context.status(own.your_turn, text)
    return context.status(
        own.your_turn, own.must_turn if list(context.legal) == ["TURN"] else own.may_only_end
    )


def _choices(context: SeatContext, hand: list[str]) -> Html:
    own, texts = context.own_texts, context.texts
    melds = [action for action in context.legal if "@" in action]
    ways = {code: [meld for meld in melds if code in meld_cards(meld)] for code in hand}
    # A card is a button if it can be played alone in only one way.
    alone = {code: [meld for meld in options if meld_cards(meld) == [code]] for code, options in ways.items()}
    direct = {code: options[0] for code, options in alone.items() if len(options) == 1}
    other_melds = [meld for meld in melds if meld not in direct.values()]
    faces = [_hand_card(context, code, direct.get(code), is_usable=bool(ways[code])) for code in hand]
    if not hand and context.observation["phase"] in (DEALING, SWAPPING):
        count = context.observation["hand_sizes"][str(context.seat)]
        faces = [cards.card_backs(count, "komatsu", texts)] if count else []
    words_only = [action for action in context.legal if "@" not in action and action != DROP]
    buttons = [_action_button(context, action) for action in words_only] + [
        _meld_button(context, meld) for meld in other_melds
    ]
    # Empty lines keep their height, so that the hand does not move when a turn comes.
    group = {"role": "group", "aria-label": own.choices} if buttons else {}
    return joined(
        [
            element("div", {"class": "play-actions", **group}, *buttons),
            element("div", {"class": "play-hand play-flat", "role": "group", "aria-label": own.hand}, *faces),
            element(
                "div", {"class": "play-drop-row"}, *([_drop_button(context)] if DROP in context.legal else [])
            ),
        ]
    )


def _hand_card(context: SeatContext, code: str, meld: str | None, *, is_usable: bool) -> Html:
    drawn = _card(context, code, {"aria-hidden": "true", "aria-label": None, "role": None})
    name = _choice_name(context, meld) if meld else context.card_name(code, "komatsu")
    attributes = {"disabled": meld is None, "aria-label": name}
    kind = "play-card" + (" is-usable" if is_usable else "")
    return choice(meld or "", drawn, kind=kind, attributes=attributes)


def _action_button(context: SeatContext, action: str) -> Html:
    return choice(action, _choice_name(context, action))


def _drop_button(context: SeatContext) -> Html:
    """Return the action that costs a stone, in a disclosure: the first press only opens it."""
    return element(
        "details",
        {"class": "play-drop"},
        element("summary", {"class": "button"}, context.own_texts.drop_ask),
        _action_button(context, DROP),
    )


def _meld_button(context: SeatContext, meld: str) -> Html:
    """Return a button for several cards, or for a wild card as one of several values."""
    codes = meld_cards(meld)
    drawn = [
        _card(context, code, {"aria-hidden": "true", "aria-label": None, "role": None}) for code in codes
    ]
    text = [element("span", {"class": "play-value"}, context.texts.as_value.format(value=meld_value(meld)))]
    is_plain = all(komatsu_value(code, context.court) == meld_value(meld) for code in codes)
    attributes = {"aria-label": _choice_name(context, meld)}
    return choice(
        meld, *drawn, *([] if is_plain else text), kind="button play-action play-meld", attributes=attributes
    )


def _choice_name(context: SeatContext, action: str) -> str:
    if "@" not in action:
        return context.own_texts.answers.get(f"{context.observation['phase']} {action}", action)
    codes, value = meld_cards(action), meld_value(action)
    names = context.listed(context.card_name(code, "komatsu") for code in codes)
    if all(komatsu_value(code, context.court) == value for code in codes):
        return names
    return f"{names}{context.texts.comma}{context.texts.as_value.format(value=value)}"


# Previous events


def _panels(context: SeatContext) -> Html:
    own, observation = context.own_texts, context.observation
    melds = [(int(seat), _meld_text(context, meld)) for seat, meld in observation["plays"]]
    other_actions = [
        (seat, _action_text(context, action)) for seat, action in context.last if "@" not in action
    ]
    latest = [*melds, *other_actions][-5:]
    rows = action_rows(context, latest) if latest else element("p", {"class": "quiet"}, own.nothing_yet)
    turned = [_card(context, code) for code in observation["turned"]]
    turned_part = (
        [element("p", {"class": "seat-pile"}, *turned)]
        if turned
        else [element("p", {"class": "quiet"}, own.nothing_yet)]
    )
    return joined(
        [
            panel(context.texts.turns, "play-latest", rows),
            panel(
                own.turned_cards,
                "play-turned",
                *turned_part,
                element("p", {"class": "quiet"}, own.rules_short),
            ),
        ]
    )


def _action_text(context: SeatContext, action: str) -> str:
    texts = context.texts
    if action in ACT_KINDS:
        return texts.acts[ACT_KINDS[action]]
    if "@" in action:
        return _meld_text(context, action)
    for phase in (DEALING, SWAPPING):
        if (text := texts.said.get(f"{phase} {action}")) is not None:
            return text
    return action


def _own_action_text(context: SeatContext, action: str) -> str:
    return context.own_texts.answers.get(f"turn {action}") or _action_text(context, action)


def _meld_text(context: SeatContext, meld: str) -> str:
    texts, codes = context.texts, meld_cards(meld)
    text = texts.melds[min(len(codes), 3) - 1].format(value=meld_value(meld))
    is_wild = any(code in cards.WILD_CARDS for code in codes)
    return texts.with_wild.format(meld=text) if is_wild else text


def _recent_actions(context: SeatContext) -> str:
    own = context.own_texts
    parts = [
        own.does.format(name=context.first_name(seat), said=_action_text(context, action))
        for seat, action in context.last
    ]
    if context.observation["phase"] == TURNS and context.observation["follow"] is not None:
        parts.append(following_text(context.observation, context.texts) + context.texts.full_stop)
    return context.texts.sentences(*parts)
