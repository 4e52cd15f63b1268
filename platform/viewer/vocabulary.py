"""Texts of the viewer, as a table of fields. Pairs are singular and plural.

Fields are texts, or patterns of ``str.format`` with the names in ``viewer.english``, whose translations are
in the catalogue of the site (``viewer.catalogue``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MINUS = "\N{MINUS SIGN}"
NO_TEXTS: Mapping[Any, str] = {}


@dataclasses.dataclass(frozen=True, eq=False)
class ViewerTexts:
    """All texts of one language; a singleton per language, compared by identity."""

    language: str
    """The ``lang`` of HTML."""
    full_stop: str
    comma: str
    """Separator of items, including the space."""
    colon: str
    """Separator of a label and its text, including the space."""
    two_sentences: str

    # Cards
    suits: Mapping[str, str]
    """By letter: the suits of the French deck."""
    ranks: Mapping[str, str]
    card: str
    komatsu_suits: Mapping[str, str]
    komatsu_card: str
    wild_card: str
    backs: tuple[str, str]

    # Seats and deals
    seat: str
    seats: str
    between_seats: str
    either: str
    """``first``, ``last``: an alternative."""
    deals: str
    may_lead: str
    rests: str
    dealer: str
    trumps: str
    rensho: str
    speculation: str
    whole_deal: str
    box: str
    board: str
    deal: str
    start: str
    declared: str

    labels: Mapping[str, str]
    """Labels of facts and columns of a position."""

    # Tricks
    trick: str
    suit_led: str
    to_lead: str
    to_play: str
    pictures_taken: str
    takes: str
    """``name``: a trick without a picture."""
    takes_pictures: tuple[str, str]
    takes_short: tuple[str, str, str]
    """``name``, ``count``: without a picture, with one, with several."""
    pictures: tuple[str, str]
    pictures_column: str
    """Heading of numbers of pictures."""
    plays_card: str
    said: Mapping[str, str]
    """By phase and answer, ``lead PREFER``: the declaration of a seat, after its name."""
    proposes: str
    second_person: Mapping[str, str]
    """By phase and answer, or kind of entry: forms of ``said`` and ``acts`` that differ for the reader. For a
    proposal, ``trump`` with ``suit``.
    """
    sentence: str
    referee: str
    verdicts: Mapping[str, str]
    categories: Mapping[str, str]
    """By ace category of the winners: the reason for the payment; ``pictures``, ``pays``."""
    no_category: str
    nobody_won: str
    even: str

    # Turns
    turn: str
    lap: str
    """``lap``: a round of turns."""
    may_follow: str
    any_follows: str
    none_follows: str
    may_swap: str
    swapped: str
    """``swaps``: pairs of seats."""
    not_swapped: str
    starts: str
    turned_up: str
    by_seat: str
    as_value: str
    """``value``: a wild card that stands for it."""
    pot: tuple[str, str]
    """Empty, and ``count``."""
    nothing_played: str
    played: str
    melds: tuple[str, str, str]
    """``value``: one card, a pair, three."""
    with_wild: str
    plays_meld: str
    left: tuple[str, str, str]
    """``count``: none, one, many."""
    acts: Mapping[str, str]
    """By kind of entry, including ``out``: the action of the seat, after its name."""
    acts_short: Mapping[str, str]
    turns_up: str
    start_card: str
    order_of_turns: str
    legend_turns: str
    wild_cards: str
    endings: Mapping[str, str]
    """End of a deal of Kakkuri; ``name``."""
    ended: Mapping[str, str]
    """Short form of the same, for the middle of the mat; ``name``."""
    cards_left: str

    # Panels
    plays: str
    turns: str
    legend_plays: str
    legend_referee: str
    """After the mark of a fault."""
    led: str
    won: str
    cost_mark: str
    unlucky_mark: str
    legend_unlucky: str
    """After ``unlucky_mark``."""
    result: str
    board_page: str
    cpu: str
    longest: str
    bank: str
    """``left``: remaining bank of a seat after the deal."""
    banks: str
    """``left``: minimum remaining bank of several seats."""
    bank_bars: str
    this_play: str
    this_turn: str
    stones: str

    # Notes
    solver: str
    analysis: str
    """Heading of notes of Kakkuri, which has no solver."""
    cost: str
    cost_stones: tuple[str, str]
    kinds: Mapping[str, str]
    """By kind of a costly play: ``mistake``, ``unlucky``."""
    would_have: str
    only_best: str
    one_of_best: str
    average_loss: str
    """``loss``, ``error``, ``deals``."""
    best_on_average: str
    averages: str
    """Caption of averages."""
    lost_on_average: str
    """``loss``: the same in Kakkuri."""
    lost_how: str
    """``deals``, ``error``."""
    better: str
    house_rules: str
    """Caption of averages of Kakkuri."""
    all_known: str
    only_legal_card: str
    only_legal_action: str
    all_equal: str
    no_loss: str
    not_analysed: str
    analysed_from: str
    field_none: str
    field_same: tuple[str, str]
    """``count`` other tables."""
    field_played: str
    declared_cost: tuple[str, str]
    """After a declaration."""
    declarations_cost: tuple[str, str]
    """Of all declarations before the first card."""
    declared_nothing: str
    value_here: str
    value_plot: str
    value_at: str
    for_all_only: str
    could_play: str
    stones_to: str
    best: str
    was_played: str
    spoken_cost: tuple[str, str]
    spoken_loss: str
    """The same in Kakkuri; ``action``."""
    costly_back: str
    costly_on: str
    retry: str
    retry_question: tuple[str, str]
    would_cost: tuple[str, str]
    would_be_best: str
    back_to_game: str

    # Controls
    boards: str
    controls: str
    to_start: str
    trick_back: str
    turn_back: str
    play_back: str
    play: str
    pause: str
    play_on: str
    trick_on: str
    turn_on: str
    to_end: str
    seen_by: str
    everybody: str
    this_position: str
    try_another: str
    no_position: Mapping[str, str]
    """Reason why a position does not exist; ``has`` are the valid ones."""
    span: str
    """``first``, ``last``: a range of numbers."""
    copied: str
    keys_line: str
    """``shift``, ``question``: two keys."""
    keys_line_turns: str
    """The same for a game of turns."""
    river: str
    race: str
    help: str
    speed: str
    close: str
    keys: Mapping[str, str]
    """Keys and their functions, for the help."""
    four_colours: str
    french_cards: str

    # Two tables
    first_difference: str
    differences: str
    different_play: str
    pictures_so_far: str
    """With {first} and {second}, the seats of both sides."""
    decides: str
    """Mark of the trick after which a side has most of the pictures."""
    later_tricks: str
    """Legend of a play that the other table does not have."""
    no_difference: str
    deals_list: str
    other_cards: str
    compare_keys: Mapping[str, str]
    """Keys that a page of two tables has in addition to ``keys``, or in place of one."""

    @property
    def after_sentence(self) -> str:
        return self.two_sentences.format(first="", second="")

    def card_name(self, code: str) -> str:
        """Return the accessible name of a card of the French deck."""
        return self.card.format(rank=self.ranks[code[0]], suit=self.suits[code[1]])

    def komatsu_name(self, value: int, suit: str, is_wild: bool) -> str:
        """Return the accessible name of a card of the Kakkuri deck."""
        pattern = self.wild_card if is_wild else self.komatsu_card
        return pattern.format(value=value, suit=self.komatsu_suits[suit])

    def counted(self, pair: tuple[str, str], count: int, **fields: object) -> str:
        """Return the singular or plural text."""
        return pair[count != 1].format(count=count, **fields)

    def backs_name(self, count: int) -> str:
        return self.counted(self.backs, count)

    def seat_name(self, seat: int) -> str:
        return self.seat.format(seat=seat)

    def about_seat(
        self, pattern: str, seat: int, names: Mapping[int, str] = NO_TEXTS, **fields: object
    ) -> str:
        """Fill in the name of a seat, of ``names`` or by its number, with a capital only at the start."""
        name = names.get(seat) or self.seat_name(seat)
        first = name[:1].upper() if pattern.startswith("{name}") else name[:1].lower()
        return pattern.format(name=first + name[1:], **fields)

    def pair(self, seats: Sequence[int]) -> str:
        return self.between_seats.join(map(str, seats))

    def side_name(self, seats: Sequence[int]) -> str:
        return self.seats.format(seats=self.pair(seats)) if len(seats) > 1 else self.seat_name(seats[0])

    def sentences(self, *texts: str) -> str:
        return self.after_sentence.join(filter(None, texts))

    def any_of(self, things: Iterable[object]) -> str:
        *first, last = map(str, things)
        return self.either.format(first=self.comma.join(first), last=last) if first else last

    def verdict(self, code: str) -> str:
        """Return the text of a verdict; an unknown one by its code."""
        return self.verdicts.get(code, code.lower().replace("_", " "))


def signed(stones: int) -> str:
    """Return stones with their sign.

    >>> signed(2), signed(0), signed(-1)
    ('+2', '0', '−1')
    """
    return f"+{stones}" if stones > 0 else f"{MINUS}{-stones}" if stones else "0"


def loss_text(stones: float) -> str:
    """Return a loss; an average has two decimals.

    >>> loss_text(2), loss_text(0.312), loss_text(-0.05)
    ('2', '0.31', '−0.05')
    """
    text = str(abs(stones)) if isinstance(stones, int) else f"{abs(stones):.2f}"
    return f"{MINUS}{text}" if stones < 0 and text.strip("0.") else text


def milliseconds(us: int) -> str:
    """Return microseconds as a text in ms.

    >>> milliseconds(562), milliseconds(5_912), milliseconds(123_456)
    ('0.56 ms', '5.9 ms', '123 ms')
    """
    ms = us / 1000
    return f"{ms:,.2f} ms" if ms < 1 else f"{ms:,.1f} ms" if ms < 100 else f"{ms:,.0f} ms"
