"""Kakkuri as one seat sees it: what lies there to be followed, the own hand to make melds of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.kakkuri.melds import VALUES
from engine.games.kakkuri.notation import DROP
from engine.games.kakkuri.state import DEALING, OVER, SWAPPING, TURNS
from viewer import cards
from viewer.cards import komatsu_value
from viewer.games.kakkuri.scene import ACT_KINDS, follows, meld_cards, meld_value
from viewer.markup import Html, element, joined
from viewer.mat import mat
from viewer.position_scene import Observation, SeatScene
from viewer.sitting.pieces import Seen, Sitting, choice, panel, said_rows, seat_block


def turn_sitting(seen: Seen) -> Sitting:
    """The table of Kakkuri, as its observation has it."""
    own = seen.own_words
    hand = _shown(seen, seen.observation["hand"])
    last = _last_meld(seen)
    on_table = own.on_the_table.format(cards=seen.listed(seen.card_name(code, "komatsu") for code in last))
    return Sitting(
        mat=_mat(seen, last),
        status=_status(seen),
        choices=_choices(seen, hand),
        panels=_panels(seen),
        said=_said(seen),
        spoken=(
            own.your_hand.format(cards=seen.listed(seen.card_name(code, "komatsu") for code in hand)),
            seen.words.sentences(on_table, follows(seen.observation, seen.words) + seen.words.full_stop)
            if last
            else own.table_empty,
            seen.spoken_legal([_choice_name(seen, action) for action in seen.legal]),
        ),
        did=_own_did(seen, seen.own_last) if seen.own_last else "",
    )


def turn_deal_end(seen: Observation, event: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the last meld of a deal changes in an observation."""
    if event["e"] != "act" or "@" not in event["action"]:
        return {}
    seat, meld = event["seat"], event["action"]
    laid, sizes = meld_cards(meld), seen["hand_sizes"]
    return {
        "hand": [card for card in seen["hand"] if seat != seen["seat"] or card not in laid],
        "plays": [*seen["plays"], [seat, meld]],
        "played_this_turn": seen["played_this_turn"] + 1,
        "follow": meld_value(meld),
        "hand_sizes": {**sizes, str(seat): sizes[str(seat)] - len(laid)},
    }


# The mat


def _mat(seen: Seen, last: Sequence[str]) -> Html:
    seats = {seat.seat: seat for seat in seen.scene.seats}
    blocks = [_seat(seen, seats[seat]) for seat in (*seen.others, seen.seat)]
    return mat(f"sit-mat sit-of-{seen.seats} sit-turns", _middle(seen, last), blocks)


def _seat(seen: Seen, seat: SeatScene) -> Html:
    hand = []
    if seat.seat != seen.seat:
        backs = [cards.backs(seat.hidden, "komatsu", seen.words)] if seat.hidden else []
        hand = [element("div", {"class": "hand hand-flat"}, *backs)]
    melds = [meld for player, meld in seen.observation["plays"] if player == seat.seat]
    piles = [
        element("span", {"class": "seat-meld"}, *(_card(seen, code) for code in meld_cards(meld)))
        for meld in melds
    ]
    said = seat.said or ("" if piles else seen.own_words.no_card_yet)
    standing = [element("span", {"class": "seat-pile-empty"}, said)] if said else []
    pile = element("p", {"class": "seat-pile"}, *standing, *piles)
    return seat_block(seen, seat, *hand, pile, said=_bubbles(seen, seat.seat))


def _card(seen: Seen, code: str, attributes: dict[str, object] | None = None) -> Html:
    return cards.card(code, "komatsu", words=seen.words, court=seen.court, attributes=attributes)


def _bubbles(seen: Seen, seat: int) -> list[str]:
    """What the seat did last, if it was no card."""
    did = [action for player, action in seen.last if player == seat]
    if not did or did[-1] not in ACT_KINDS or did[-1] in (DROP, "SANSOKU"):
        return []
    return [seen.words.acts[ACT_KINDS[did[-1]]]]


def _last_meld(seen: Seen) -> list[str]:
    """The cards to be followed: of the last meld, or the one that was turned up since."""
    observation = seen.observation
    follow, plays, turned = observation["follow"], observation["plays"], observation["turned"]
    if follow is None:
        return []
    is_turned = not plays or (observation["turned_this_turn"] and not observation["played_this_turn"])
    if is_turned or (turned and meld_value(plays[-1][1]) != follow):
        return [turned[-1]] if turned else []
    return meld_cards(plays[-1][1])


def _middle(seen: Seen, last: Sequence[str]) -> Html:
    observation, words = seen.observation, seen.words
    if last:
        played = observation["plays"][-1] if observation["plays"] else None
        by = played[0] if played and meld_cards(played[1]) == list(last) else None
        follow = observation["follow"]
        caption = (
            words.turned_up.format(value=follow)
            if by is None
            else f"{words.by_seat.format(value=follow, seat=by)}"
        )
        laid = [element("span", {"class": "follow-laid-cards"}, *(_card(seen, code) for code in last))]
    else:
        caption, laid = words.nothing_played, [element("span", {"class": "follow-laid-empty"})]
    face = element("span", {"class": "follow-laid"}, *laid, element("small", None, caption))
    back = Html('<svg class="card-face card-komatsu"><use href="#k-back"/></svg>')
    box = element(
        "span",
        {"class": "follow-box"},
        element("span", {"class": "follow-box-cards", "aria-hidden": "true"}, back),
        element("small", None, words.box, " ", element("b", None, str(observation["box_size"]))),
    )
    pot = observation["pot"]
    return element(
        "div",
        {"class": "mat-middle mat-follow"},
        element("p", {"class": "follow-head"}, element("b", None, follows(seen.observation, seen.words))),
        element("div", {"class": "follow-cards"}, face, box),
        element("p", {"class": "follow-pot"}, words.pot[pot > 0].format(count=pot)),
    )


# The own hand


def _shown(seen: Seen, hand: Sequence[str]) -> list[str]:
    """A hand by value, the lowest first."""
    return sorted(hand, key=lambda code: (komatsu_value(code, seen.court), code))


def _status(seen: Seen) -> Html:
    own, words, observation = seen.own_words, seen.words, seen.observation
    phase = observation["phase"]
    if phase == OVER:
        return seen.status(own.over)
    if not seen.legal:
        return seen.status(seen.waiting())
    if phase == DEALING:
        return seen.status(own.your_turn, own.asks_deal)
    if phase == SWAPPING:
        return seen.status(own.your_turn, own.asks_swap)
    values = sorted({meld_value(action) for action in seen.legal if "@" in action})
    if values:
        text = (
            words.any_follows + words.full_stop
            if len(values) == len(VALUES)
            else own.may_play.format(values=words.any_of(values))
        )
        return seen.status(own.your_turn, text)
    return seen.status(own.your_turn, own.must_turn if list(seen.legal) == ["TURN"] else own.may_only_end)


def _choices(seen: Seen, hand: list[str]) -> Html:
    own, words = seen.own_words, seen.words
    melds = [action for action in seen.legal if "@" in action]
    ways = {code: [meld for meld in melds if code in meld_cards(meld)] for code in hand}
    # A card is a button if playing it alone can mean one thing only.
    alone = {code: [meld for meld in found if meld_cards(meld) == [code]] for code, found in ways.items()}
    direct = {code: found[0] for code, found in alone.items() if len(found) == 1}
    others = [meld for meld in melds if meld not in direct.values()]
    held = [_held(seen, code, direct.get(code), is_usable=bool(ways[code])) for code in hand]
    if not hand and seen.observation["phase"] in (DEALING, SWAPPING):
        count = seen.observation["hand_sizes"][str(seen.seat)]
        held = [cards.backs(count, "komatsu", words)] if count else []
    words_only = [action for action in seen.legal if "@" not in action and action != DROP]
    said = [_word(seen, action) for action in words_only] + [_meld(seen, meld) for meld in others]
    # Empty lines keep their height, so that the hand does not move when a turn comes.
    group = {"role": "group", "aria-label": own.choices} if said else {}
    return joined(
        [
            element("div", {"class": "sit-words", **group}, *said),
            element("div", {"class": "sit-hand sit-flat", "role": "group", "aria-label": own.hand}, *held),
            element("div", {"class": "sit-costly"}, *([_drop(seen)] if DROP in seen.legal else [])),
        ]
    )


def _held(seen: Seen, code: str, meld: str | None, *, is_usable: bool) -> Html:
    drawn = _card(seen, code, {"aria-hidden": "true", "aria-label": None, "role": None})
    name = _choice_name(seen, meld) if meld else seen.card_name(code, "komatsu")
    attributes = {"disabled": meld is None, "aria-label": name}
    kind = "sit-card" + (" is-usable" if is_usable else "")
    return choice(meld or "", drawn, kind=kind, attributes=attributes)


def _word(seen: Seen, action: str) -> Html:
    return choice(action, _choice_name(seen, action))


def _drop(seen: Seen) -> Html:
    """The action that costs a stone, in a disclosure: a first press only opens it."""
    return element(
        "details",
        {"class": "sit-costs"},
        element("summary", {"class": "button"}, seen.own_words.drop_ask),
        _word(seen, DROP),
    )


def _meld(seen: Seen, meld: str) -> Html:
    """A button for cards together, or for a wild card as one of several values."""
    codes = meld_cards(meld)
    drawn = [_card(seen, code, {"aria-hidden": "true", "aria-label": None, "role": None}) for code in codes]
    text = [element("span", {"class": "sit-as"}, seen.words.as_value.format(value=meld_value(meld)))]
    is_plain = all(komatsu_value(code, seen.court) == meld_value(meld) for code in codes)
    attributes = {"aria-label": _choice_name(seen, meld)}
    return choice(
        meld, *drawn, *([] if is_plain else text), kind="button sit-word sit-meld", attributes=attributes
    )


def _choice_name(seen: Seen, action: str) -> str:
    if "@" not in action:
        return seen.own_words.answers.get(f"{seen.observation['phase']} {action}", action)
    codes, value = meld_cards(action), meld_value(action)
    names = seen.listed(seen.card_name(code, "komatsu") for code in codes)
    if all(komatsu_value(code, seen.court) == value for code in codes):
        return names
    return f"{names}{seen.words.comma}{seen.words.as_value.format(value=value)}"


# What was before


def _panels(seen: Seen) -> Html:
    own, observation = seen.own_words, seen.observation
    melds = [(int(seat), _meld_text(seen, meld)) for seat, meld in observation["plays"]]
    others = [(seat, _did(seen, action)) for seat, action in seen.last if "@" not in action]
    latest = [*melds, *others][-5:]
    rows = said_rows(seen, latest) if latest else element("p", {"class": "quiet"}, own.nothing_yet)
    turned = [_card(seen, code) for code in observation["turned"]]
    shown = (
        [element("p", {"class": "seat-pile"}, *turned)]
        if turned
        else [element("p", {"class": "quiet"}, own.nothing_yet)]
    )
    return joined(
        [
            panel(seen.words.turns, "sit-latest", rows),
            panel(own.turned_cards, "sit-turned", *shown, element("p", {"class": "quiet"}, own.rules_short)),
        ]
    )


def _did(seen: Seen, action: str) -> str:
    words = seen.words
    if action in ACT_KINDS:
        return words.acts[ACT_KINDS[action]]
    if "@" in action:
        return _meld_text(seen, action)
    for phase in (DEALING, SWAPPING):
        if (text := words.said.get(f"{phase} {action}")) is not None:
            return text
    return action


def _own_did(seen: Seen, action: str) -> str:
    """What the reader's own seat did, as its button calls it."""
    return seen.own_words.answers.get(f"turn {action}") or _did(seen, action)


def _meld_text(seen: Seen, meld: str) -> str:
    words, codes = seen.words, meld_cards(meld)
    text = words.melds[min(len(codes), 3) - 1].format(value=meld_value(meld))
    is_wild = any(code in cards.WILD_CARDS for code in codes)
    return words.with_wild.format(meld=text) if is_wild else text


def _said(seen: Seen) -> str:
    own = seen.own_words
    parts = [
        own.does.format(name=seen.words.seat_name(seat), said=_did(seen, action))
        for seat, action in seen.last
    ]
    if seen.observation["phase"] == TURNS and seen.observation["follow"] is not None:
        parts.append(follows(seen.observation, seen.words) + seen.words.full_stop)
    return seen.words.sentences(*parts)
