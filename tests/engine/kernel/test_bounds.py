"""Pictures that are sure without a search: never more than there are, whatever an answer does not rest on."""

import random
import sys

import pytest

from engine.kernel import Position, is_compiled, solve
from tests.engine.kernel.endings import ending
from tests.engine.kernel.plain_solver import plain_solving

YES = 1 << 63
DECIDED = 1 << 62
ENDINGS = 600 if is_compiled else 60


def searching(name, *fault):
    """A search of the Python sources, perhaps with a fault planted in them."""
    plain_solving(name, *fault)
    return sys.modules[f"engine.kernel.plain_{name}_search"].Search()


def between_tricks(seed):
    chance = random.Random(f"bounds {seed}")
    while (position := ending(chance.random(), 5)).trick:
        pass
    return position


def pictures_of_0(position):
    """How many of the pictures left side 0 takes."""
    return solve(position, "pictures").low - position.captured[0]


def answers(search, position):
    """By number of pictures: whether a bound says that side 0 takes it, on what that rests, and the bound."""
    search.load(position)
    left = search.suits.all_cards
    pictures = (left & search.suits.pictures).bit_count()
    for need in range(1, pictures + 1):
        for bound in (search.bounds.sure, search.bounds.cash):
            found = bound(left, position.turn, need, pictures)
            if found & DECIDED:
                yield need, found >= YES, found & (DECIDED - 1), bound.__name__
        if position.hands[0].bit_count() == 2:
            found = search.last.answer(left, position.turn, need, pictures)
            yield need, found >= YES, found & (DECIDED - 1), "last"


def alike(position, cards, rng):
    """A position with as much in common as an answer has to hold for that rests on these cards.

    Down to the lowest of a suit all cards are held by the same places; below it each place holds as many, and
    as many pictures. Who has Rensho stays.
    """
    hands = [0] * 4
    for lane, suit in enumerate([position.trump, *(suit for suit in range(4) if suit != position.trump)]):
        held = [
            (card, place)
            for card in range(13 * suit + 12, 13 * suit - 1, -1)
            for place in range(4)
            if position.hands[place] >> card & 1
        ]
        fixed = (cards >> 16 * lane & 0x1FFF).bit_length()
        groups = {True: [], False: []}
        for rank, (card, place) in enumerate(held):
            if rank < fixed or card == position.rensho:
                hands[place] |= 1 << card
            else:
                groups[card % 13 >= 9].append((card, place))
        for group in groups.values():
            places = [place for _, place in group]
            rng.shuffle(places)
            for (card, _), place in zip(group, places, strict=True):
                hands[place] |= 1 << card
    return position._replace(hands=tuple(hands))


def wrong_answers(search, positions):
    """Answers that are wrong, of positions and of others that are like them."""
    rng = random.Random("alike")
    for position in positions:
        taken = pictures_of_0(position)
        for need, is_yes, cards, name in answers(search, position):
            if (taken >= need) != is_yes:
                yield position, need, name
            other = alike(position, cards, rng)
            if (pictures_of_0(other) >= need) != is_yes:
                yield other, need, name


@pytest.mark.full
def test_what_is_sure_is_taken_in_all_positions_alike():
    search = searching("bounds")
    assert not list(wrong_answers(search, map(between_tricks, range(ENDINGS))))


def test_every_bound_decides_much():
    search = searching("bounds")
    found = [name for seed in range(200) for _, _, _, name in answers(search, between_tricks(seed))]
    assert min(found.count("sure"), found.count("cash"), found.count("last")) > 100


PLANTED = {
    "trumps that higher ones beat": (
        "bounds",
        "free = _count(above & own) - _count(above & opposing)",
        "free = _count(above & own)",
    ),
    "pictures of trumps that higher ones beat": (
        "bounds",
        "free_pictures -= _count(above & opposing & self.suits.pictures)",
        "free_pictures -= 0",
    ),
    "a trump that Rensho beats": (
        "bounds",
        "against = 1 if (self.suits.rensho_holder ^ owner) & 1 else 0",
        "against = 0",
    ),
    "both hands' tricks": (
        "bounds",
        "tricks_left = tricks - _max(word & 15, word >> 2 * _PLAYER_BITS & 15)\n"
        "        most = _min(tricks_left, of_0",
        "tricks_left = tricks - (word & 15) - (word >> 2 * _PLAYER_BITS & 15)\n"
        "        most = _min(tricks_left, of_0",
    ),
    "no rank of trumps": ("bounds", "lowest = card", "lowest = 0"),
    "no rank of the cards led": ("bounds", "cards |= _nth(suit, count)", "cards |= 0"),
    "pictures of a suit that others have too": ("bounds", "sides & in_suit != in_suit", "in_suit == 0"),
    "cards that are ruffed": (
        "bounds",
        "before_ruffs = 1 if before_length > count or holder == before else 0",
        "before_ruffs = 0",
    ),
    "more rounds than a hand that ruffs follows to": (
        "bounds",
        "more = late - count if late > count else 0",
        "more += 0",
    ),
    "a partner who does not get the lead": ("bounds", "if is_crossed and not is_last:", "if led_by_partner:"),
    "a lead to the partner that is ruffed": ("bounds", "if more and count < most and", "if more and"),
    "a partner's winners that fell before": (
        "bounds",
        "_min(_run(partners & suit, suit & ~partners), _count(partners) - count)",
        "_run(partners & suit, suit & ~partners)",
    ),
    "a partner's cards that it had to throw away": (
        "bounds",
        "if voids > spare or partner_voids > partner_spare:",
        "if voids > spare:",
    ),
    "the leader's cards that it had to throw away": (
        "bounds",
        "if voids > spare or partner_voids > partner_spare:",
        "if partner_voids > partner_spare:",
    ),
    "a Rensho thrown away": ("bounds", "partner_spare = -reserved", "partner_spare = 0"),
    "a Rensho as a picture thrown away": (
        "bounds",
        "partner_spare_pictures = -reserved",
        "partner_spare_pictures = 0",
    ),
    "pictures that need not fall": (
        "bounds",
        "_positive(_min(rounds, length) - length + _count(hand & pictures))",
        "_min(rounds, _count(hand & pictures))",
    ),
    "a Rensho that others may play freely": (
        "bounds",
        "if self.suits.free and (holder ^ player) & 1:",
        "if holder > 9:",
    ),
    "no rank in the last trick": (
        "last",
        "answer |= self._rests_on(played, last_best)",
        "answer |= 0",
    ),
    "no free Rensho in the last tricks": (
        "last",
        "cards | self.hands[turn] & self.suits.free if cards",
        "cards if cards",
    ),
}

# Hands, trumps, Rensho, whether it is free, and whose lead it is; endings show these too seldom.
RARE = {
    "a Rensho thrown away": (
        *((1198536393752576, 4406638543872, 2251799813685472, 35185479647232), 0, 51, False, 0),
    ),
    "a Rensho as a picture thrown away": (
        *((281477140972544, 3182592, 2392554481909824, 43084414976), 3, 12, True, 3),
    ),
}

# Before these no ending shows them.
SEEDS = {
    "a partner's cards that it had to throw away": 690,
    "the leader's cards that it had to throw away": 1307,
    "a partner's winners that fell before": 1375,
    "a Rensho that others may play freely": 386,
    "no free Rensho in the last tricks": 1065,
}


def rare(hands, trump, rensho, is_free, turn):
    left = sum(card % 13 >= 9 for hand in hands for card in range(52) if hand >> card & 1)
    return Position(hands, trump, rensho, is_free, turn, (), (0, 16 - left), tuple(range(17)))


@pytest.mark.full
@pytest.mark.parametrize("fault", PLANTED)
def test_a_bound_by_what_is_not_sure_is_found(fault):
    search = searching("planted_bounds", *PLANTED[fault])
    first = SEEDS.get(fault, 0)
    positions = map(between_tricks, range(first, first + 600))
    if fault in RARE:
        positions = [rare(*RARE[fault])]
    assert next(wrong_answers(search, positions), None)
