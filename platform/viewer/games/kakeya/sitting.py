"""Kakeya and Etori as one seat sees them: backs around the trick, the own hand to choose a card of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from engine.cards import PICTURES
from engine.games.kakeya.notation import LEAD, OVER, PLAY, TRICKS, TRUMP
from viewer import cards
from viewer.games.kakeya.deals import shown_hands
from viewer.games.kakeya.scene import Trick, trick_on_table, tricks_of
from viewer.markup import Html, element, joined
from viewer.mat import mat
from viewer.position_scene import Observation, SeatScene
from viewer.scene import said_by
from viewer.sitting.pieces import Seen, Sitting, choice, panel, said_rows, seat_block
from viewer.tricks import trumps_corner
from viewer.words import Words


def trick_sitting(seen: Seen) -> Sitting:
    """The table of a game of tricks, as its observation has it."""
    trick, done = trick_on_table(seen.observation), tricks_of(seen.observation)
    hand = _shown_hand(seen)
    return Sitting(
        mat=_mat(seen, trick),
        status=_status(seen),
        choices=_choices(seen, hand),
        panels=joined([_last_panel(seen, done[-1] if done else None), _before_panel(seen)]),
        said=_said(seen, trick),
        spoken=(
            seen.own_words.your_hand.format(
                cards=seen.listed(seen.card_name(code, "french") for code in hand)
            ),
            _table_said(seen, trick),
            seen.spoken_legal([_choice_name(seen, action) for action in _offered(seen)]),
        ),
        did=_own_did(seen, seen.own_last) if seen.own_last else "",
    )


def trick_deal_end(seen: Observation, event: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the last card of a deal and the end of its trick change in an observation."""
    match event["e"]:
        case "act" if seen["phase"] == PLAY:
            seat, code = event["seat"], event["action"]
            hand = [card for card in seen["hand"] if seat != seen["seat"] or card != code]
            return {"hand": hand, "trick": [*seen["trick"], [seat, code]]}
        case "trick":
            codes, winner = [code for _, code in seen["trick"]], event["winner"]
            side = str((winner - 1) % (seen["seats"] // 2) + 1)
            taken = [*seen["pictures"][side], *(code for code in codes if code in PICTURES)]
            done = {"leader": seen["trick"][0][0], "cards": codes, "winner": winner}
            return {
                "tricks": [*seen["tricks"], done],
                "trick": [],
                "pictures": {**seen["pictures"], side: taken},
            }
    return {}


# The mat


def _mat(seen: Seen, trick: Trick) -> Html:
    observation, seats = seen.observation, {seat.seat: seat for seat in seen.scene.seats}
    blocks = [_seat(seen, seats[seat]) for seat in seen.others]
    return mat(
        f"sit-mat sit-of-{seen.seats} sit-tricks" + (" is-done" if trick.is_done else ""),
        _middle(seen, trick),
        blocks,
        trumps_corner(observation["preset"], observation["trump"], observation["rensho"], seen.words),
        _captured(seen),
    )


def _seat(seen: Seen, seat: SeatScene) -> Html:
    words = seen.words
    if not seat.is_active:
        return seat_block(seen, seat, element("p", {"class": "seat-rests"}, words.rests))
    said = (
        [_declared(seen, seat.seat)]
        if _is_before_play(seen) and str(seat.seat) in _declarations(seen)
        else []
    )
    backs = cards.backs(seat.hidden, words=words, places=TRICKS)
    return seat_block(seen, seat, element("div", {"class": "hand hand-fan"}, backs), said=said)


def _middle(seen: Seen, trick: Trick) -> Html:
    words, observation = seen.words, seen.observation
    slots = [_slot(seen, seat, trick) for seat in sorted(observation["active"])]
    heads = []
    if observation["phase"] == PLAY or trick.is_done:
        heads.append(element("b", None, words.trick.format(trick=trick.number)))
    if trick.is_done:
        text = words.takes_short[min(trick.pictures, 2)].format(seat=trick.winner, count=trick.pictures)
        heads.append(element("span", None, text))
    elif trick.cards:
        suit = trick.cards[0][1][1]
        heads.append(element("span", None, words.suit_led.format(suit=words.suits[suit])))
    elif observation["phase"] == LEAD:
        leaders = words.seat_name(0).replace("0", words.any_of(observation["leaders"]))
        heads.append(element("span", None, words.to_lead.format(seats=leaders)))
    head = element("p", {"class": "trick-head"}, *heads)
    return element("div", {"class": f"mat-middle mat-trick mat-trick-{seen.seats}"}, *slots, head)


def _slot(seen: Seen, seat: int, trick: Trick) -> Html:
    laid = next((code for player, code in trick.cards if player == seat), None)
    is_own = seat == seen.seat
    empty = _empty_slot(seen.own_words.you if is_own else str(seat))
    attributes = {
        "class": f"slot slot-{seen.place(seat)}",
        "data-slot": seat,
        "data-acting": not trick.is_done and seat in seen.observation["to_act"],
        "data-wins": seat == trick.winner,
    }
    drawn = [cards.card(laid, words=seen.words)] if laid else []
    return element("span", attributes, empty, *drawn)


@lru_cache(cards.DRAWINGS)
def _empty_slot(text: str) -> Html:
    return element("span", {"class": "slot-empty", "aria-hidden": "true"}, element("i", None, text))


def _captured(seen: Seen) -> Html:
    words = seen.words
    rows = []
    for seat, codes in sorted(seen.observation["pictures"].items(), key=lambda item: int(item[0])):
        taken = [element("span", None, cards.card_text(code, words), " ") for code in codes]
        other = int(seat) + seen.seats // 2
        rows.append(
            element(
                "span",
                {"class": "mat-taken"},
                cards.mark(seen.side(int(seat))),
                element("span", {"class": "unseen"}, words.side_name((int(seat), other))),
                " ",
                element("b", None, str(len(codes))),
                element("span", {"class": "mat-taken-cards"}, *taken),
            )
        )
    title = element("span", {"class": "mat-taken-head"}, words.pictures_taken)
    return element("div", {"class": "mat-corner mat-captured"}, title, *rows)


# The own hand


def _shown_hand(seen: Seen) -> list[str]:
    observation = seen.observation
    return shown_hands({seen.seat: observation["hand"]}, observation["trump"])[str(seen.seat)]


def _status(seen: Seen) -> Html:
    own, words, observation = seen.own_words, seen.words, seen.observation
    phase = observation["phase"]
    if phase == OVER:
        return seen.status(own.over)
    if not seen.legal:
        rests = own.rests if seen.seat not in observation["active"] and phase != TRUMP else ""
        return seen.status(rests or seen.waiting(), seen.waiting() if rests else "")
    if phase == TRUMP:
        return seen.status(own.your_turn, own.asks_trump.format(suit=words.suits[observation["trump"]]))
    if phase == LEAD:
        return seen.status(own.your_turn, own.asks_lead)
    trick = observation["trick"]
    if not trick:
        return seen.status(own.your_turn, own.you_lead)
    led = trick[0][1][1]
    suit = words.suits[led]
    others = [code for code in seen.legal if code[1] != led]
    if len(others) == len(seen.legal):
        return seen.status(own.your_turn, own.cannot_follow.format(suit=suit))
    if others:
        return seen.status(own.your_turn, own.follow_or.format(suit=suit, card=words.card_name(others[0])))
    return seen.status(own.your_turn, own.follow.format(suit=suit))


def _choices(seen: Seen, hand: list[str]) -> Html:
    own = seen.own_words
    is_play = seen.observation["phase"] == PLAY
    legal = frozenset(seen.legal if is_play else ())
    suits = [
        element("span", {"class": "sit-suit"}, *(_held(seen.words, code, code in legal) for code in codes))
        for _, codes in groupby(hand, key=lambda code: code[1])
    ]
    words = [choice(action, *_answer(seen, action)) for action in _offered(seen) if action not in legal]
    # Their line stays while there are none: the hand does not move when the first card is asked for.
    group = {"role": "group", "aria-label": own.choices} if words else {}
    parts = [element("div", {"class": "sit-words", **group}, *words)]
    kind = "sit-hand sit-fan" + ("" if is_play else " sit-idle")
    attributes = {"class": kind, "role": "group", "aria-label": own.hand}
    parts.append(element("div", attributes, *suits))
    return joined(parts)


@lru_cache(cards.DRAWINGS)
def _held(words: Words, code: str, is_legal: bool) -> Html:
    attributes = {"disabled": not is_legal, "aria-label": words.card_name(code)}
    drawn = cards.card(
        code, words=words, attributes={"aria-hidden": "true", "aria-label": None, "role": None}
    )
    return choice(code, drawn, kind="sit-card", attributes=attributes)


def _offered(seen: Seen) -> list[str]:
    """What may be done; the suit that applies anyway is proposed by keeping it."""
    if seen.observation["phase"] == TRUMP:
        return [action for action in seen.legal if action != seen.observation["trump"]]
    return list(seen.legal)


def _answer(seen: Seen, action: str) -> list[str]:
    words, trump = seen.words, seen.observation["trump"]
    if action in words.suits:
        text = seen.own_words.suit_trumps.format(suit=words.suits[action])
        return [element("span", {"aria-hidden": "true"}, cards.suit_text(action, words)), " ", text]
    return [_word(seen, action, trump)]


def _word(seen: Seen, action: str, trump: str) -> str:
    pattern = seen.own_words.answers.get(f"{seen.observation['phase']} {action}", action)
    return pattern.format(suit=seen.words.suits[trump])


def _choice_name(seen: Seen, action: str) -> str:
    if seen.observation["phase"] == PLAY:
        return seen.words.card_name(action)
    return seen.words.suits.get(action) or _word(seen, action, seen.observation["trump"])


# What was before


def _declarations(seen: Seen) -> dict[str, str]:
    observation = seen.observation
    found: dict[str, str] = dict(observation["declarations"])
    return found


def _is_before_play(seen: Seen) -> bool:
    """Whether what was said before the first card is still worth a look on the mat."""
    observation = seen.observation
    return not observation["tricks"] and len(observation["trick"]) <= 1


def _declared(seen: Seen, seat: int) -> str:
    return said_by({"k": "lead", "s": seat, "a": _declarations(seen)[str(seat)]}, seen.words)


def _last_panel(seen: Seen, trick: Trick | None) -> Html:
    own = seen.own_words
    if trick is None:
        return panel(own.last_trick, "sit-last", element("p", {"class": "quiet"}, own.nothing_yet))
    laid = [
        element(
            "li",
            {"data-wins": seat == trick.winner},
            cards.card(code, words=seen.words),
            element("span", None, own.you if seat == seen.seat else str(seat)),
        )
        for seat, code in trick.cards
    ]
    texts = own.you_took if trick.winner == seen.seat else own.took
    text = texts[min(trick.pictures, 2)].format(name=seen.name(trick.winner), count=trick.pictures)
    return panel(
        own.last_trick, "sit-last", element("ol", None, *laid), element("p", {"class": "quiet"}, text)
    )


def _before_panel(seen: Seen) -> Html:
    words, own = seen.words, seen.own_words
    proposals = [
        (int(seat), said_by({"k": "trump", "s": int(seat), "a": said}, words))
        for seat, said in sorted(seen.observation["proposals"].items())
    ]
    declared = [(int(seat), _declared(seen, int(seat))) for seat in sorted(_declarations(seen))]
    parts = [said_rows(seen, rows) for rows in (proposals, declared) if rows]
    if not parts and (seen.observation["trick"] or seen.observation["tricks"]):
        return Html("")
    return panel(
        own.before_lead, "sit-before", *(parts or [element("p", {"class": "quiet"}, own.nothing_yet)])
    )


# Spoken


def _said(seen: Seen, trick: Trick) -> str:
    """What others did last, and who took the trick."""
    own, words = seen.own_words, seen.words
    parts = []
    for seat, action in seen.last:
        if _is_card(seen, action):
            parts.append(own.plays.format(name=seen.words.seat_name(seat), card=words.card_name(action)))
        else:
            parts.append(own.does.format(name=seen.words.seat_name(seat), said=_act_said(seen, seat, action)))
    if trick.is_done:
        texts = own.you_took if trick.winner == seen.seat else own.took
        name = seen.name(trick.winner)
        parts.append(texts[min(trick.pictures, 2)].format(name=name, count=trick.pictures))
    return words.sentences(*parts)


def _is_card(seen: Seen, action: str) -> bool:
    return len(action) == 2 and action[1:] in seen.words.suits


def _own_did(seen: Seen, action: str) -> str:
    """What the reader's own seat did, as its button calls it."""
    return seen.own_words.answers.get(f"lead {action}") or _act_said(seen, seen.seat, action)


def _act_said(seen: Seen, seat: int, action: str) -> str:
    """A card by its name, anything else as it is said."""
    if _is_card(seen, action):
        return seen.words.card_name(action)
    kind = "trump" if action == "KEEP" or action in seen.words.suits else "lead"
    return said_by({"k": kind, "s": seat, "a": action}, seen.words)


def _table_said(seen: Seen, trick: Trick) -> str:
    own = seen.own_words
    laid = [
        own.of_seat.format(card=seen.words.card_name(code), name=seen.name(seat))
        for seat, code in trick.cards
    ]
    return own.on_the_table.format(cards=seen.listed(laid)) if laid else own.table_empty
