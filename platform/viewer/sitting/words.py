"""What is said to somebody who sits at a table, in English and Japanese, beside the viewer's own words.

Fields are texts, or patterns of ``str.format`` with the names in their docstrings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, eq=False)
class SittingWords:
    """All words of one language; there is one of each, which is equal to itself alone."""

    you: str
    you_do: str
    """At the beginning of a sentence."""
    partner: str
    your_turn: str
    waits: str
    """``name``: somebody else is to act."""
    wait: str
    """Several others are to act, or nobody is known to be."""
    over: str
    rests: str
    """The reader's own pair rests."""

    # What may be done
    follow: str
    """``suit``."""
    follow_or: str
    """``suit``, ``card``: this card may always be played."""
    cannot_follow: str
    """``suit``."""
    you_lead: str
    asks_lead: str
    asks_trump: str
    """``suit``: the one that applies unless it is changed."""
    asks_deal: str
    asks_swap: str
    answers: Mapping[str, str]
    """By phase and action, ``lead PREFER``: the text of a button. ``{suit}`` is the trump suit."""
    suit_trumps: str
    """``suit``: the text of a button that proposes it."""
    must_turn: str
    may_play: str
    """``values``: what may be played now, in words."""
    may_only_end: str
    drop_ask: str
    """Opens the button that drops out."""

    # What is to be seen
    hand: str
    choices: str
    last_trick: str
    took: tuple[str, str, str]
    """``name``, ``count``: a trick without a picture, with one, with several."""
    you_took: tuple[str, str, str]
    before_lead: str
    proposals: str
    nothing_yet: str
    no_card_yet: str
    """Of a seat that has played none."""
    dropped: str
    out: str
    sansoku: str
    turned_cards: str
    rules_short: str
    """What to know about wild cards."""

    # Spoken
    plays: str
    """``name``, ``card``."""
    does: str
    """``name``, ``said``."""
    your_hand: str
    """``cards``."""
    on_the_table: str
    """``cards``."""
    table_empty: str
    legal: str
    """``cards``."""
    nothing_legal: str
    of_seat: str
    """``card``, ``name``."""
    between: str
    """Between things that are read out."""


ENGLISH = SittingWords(
    you="you",
    you_do="You",
    partner="your partner",
    your_turn="Your turn.",
    waits="{name} is to play.",
    wait="The others are to play.",
    over="The deal is over.",
    rests="Your pair rests this deal.",
    follow="Follow {suit}.",
    follow_or="Follow {suit}, or play the {card}.",
    cannot_follow="You have no {suit}: play any card.",
    you_lead="You lead: play any card.",
    asks_lead="Who leads to the first trick?",
    asks_trump="Which suit shall be trumps? It is {suit} unless that is changed.",
    asks_deal="Will you deal?",
    asks_swap="Swap your hand for the dealer's, before anybody looks?",
    answers={
        "lead PREFER": "I would like to lead",
        "lead DEFER": "My partner may lead",
        "lead IKU": "I lead",
        "lead KOI": "My partner leads",
        "trump KEEP": "Keep {suit}",
        "deal DEAL": "I deal",
        "deal GIVE": "Hand on the deal",
        "fuwaru SWAP": "Swap hands",
        "fuwaru KEEP": "Keep my hand",
        "turn PASS": "Pass",
        "turn TURN": "Turn up a card",
        "turn DROP": "Drop out, pay 1 stone",
        "turn SANSOKU": "Sansoku: pairs only",
    },
    suit_trumps="{suit}",
    must_turn="The turn came back to you: turn up a card.",
    may_play="Play {values}.",
    may_only_end="Nothing of yours may follow.",
    drop_ask="Drop out …",
    hand="Your hand",
    choices="What you may do",
    last_trick="Last trick",
    took=("{name} took no picture.", "{name} took 1 picture.", "{name} took {count} pictures."),
    you_took=("You took no picture.", "You took 1 picture.", "You took {count} pictures."),
    before_lead="Before the lead",
    proposals="Before the deal",
    nothing_yet="Nothing yet.",
    no_card_yet="no card yet",
    dropped="dropped out",
    out="out of this deal",
    sansoku="sansoku",
    turned_cards="Turned up",
    rules_short="The 1 of pao and the 2 of oru are wild; suits never matter.",
    plays="{name}: {card}.",
    does="{name}: {said}.",
    your_hand="Your hand: {cards}.",
    on_the_table="On the table: {cards}.",
    table_empty="Nothing lies on the table.",
    legal="You may: {cards}.",
    nothing_legal="It is not your turn.",
    of_seat="{card} by {name}",
    between=", ",
)

JAPANESE = SittingWords(
    you="あなた",
    you_do="あなた",
    partner="パートナー",
    your_turn="あなたの番です。",
    waits="{name}の番です。",
    wait="他の席の番です。",
    over="この局は終わりました。",
    rests="この局、あなたの組は休みです。",
    follow="{suit}を出してください。",
    follow_or="{suit}か{card}を出してください。",
    cannot_follow="{suit}がないので、どの札でも出せます。",
    you_lead="リード：どの札でも出せます。",
    asks_lead="最初に誰がリードしますか。",
    asks_trump="切り札を選んでください。変えなければ{suit}です。",
    asks_deal="親を務めますか。",
    asks_swap="誰も札を見ないうちに、親と手札を交換しますか。",
    answers={
        "lead PREFER": "リードしたい",
        "lead DEFER": "パートナーに譲る",
        "lead IKU": "行く",
        "lead KOI": "来い（パートナーがリードする）",
        "trump KEEP": "{suit}のまま",
        "deal DEAL": "親を務める",
        "deal GIVE": "親を譲る",
        "fuwaru SWAP": "交換する（フワる）",
        "fuwaru KEEP": "交換しない",
        "turn PASS": "パス",
        "turn TURN": "箱からめくる",
        "turn DROP": "降りる（石を1個払う）",
        "turn SANSOKU": "三足：以後はペアのみ",
    },
    suit_trumps="{suit}",
    must_turn="手番が戻りました。箱からめくってください。",
    may_play="出せるのは{values}です。",
    may_only_end="続けて出せる札がありません。",
    drop_ask="降りる…",
    hand="あなたの手札",
    choices="選べること",
    last_trick="前のトリック",
    took=("{name}が取り、絵柄はなし。", "{name}が取り、絵柄は1枚。", "{name}が取り、絵柄は{count}枚。"),
    you_took=("あなたが取り、絵柄はなし。", "あなたが取り、絵柄は1枚。", "あなたが取り、絵柄は{count}枚。"),
    before_lead="リードの前",
    proposals="配る前",
    nothing_yet="まだありません。",
    no_card_yet="まだなし",
    dropped="降りた",
    out="この局を抜けた",
    sansoku="三足",
    turned_cards="めくり札",
    rules_short="パオの1とオウルの2は鬼札。スートは関係しません。",
    plays="{name}：{card}。",
    does="{name}：{said}。",
    your_hand="手札：{cards}。",
    on_the_table="場の札：{cards}。",
    table_empty="場に札はありません。",
    legal="選べること：{cards}。",
    nothing_legal="あなたの番ではありません。",
    of_seat="{name}の{card}",
    between="、",
)

_LANGUAGES = {"en": ENGLISH, "ja": JAPANESE}


def sitting_words(language: str) -> SittingWords:
    """The words of a language that the viewer speaks; English for others."""
    return _LANGUAGES.get(language, ENGLISH)
