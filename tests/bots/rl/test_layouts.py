"""Layouts encode each fact of an observation at the documented place, and never change within a version."""

import hashlib
import json

import numpy as np
import pytest

from bots.rl.layouts import LAYOUTS, LayoutError, environment_names, layout, preset_of
from bots.rl.layouts.base import STONES_ZERO
from bots.sdk import PACK, PICTURES, SUITS, KakeyaView, Request
from engine import all_games
from engine.cards import KAKKURI_PACK
from tests.bots.rl.boards import parts, positions

KAKEYA = [name for name in environment_names() if layout(name).name == "kakeya"]
KAKKURI = [name for name in environment_names() if layout(name).name == "kakkuri"]
PICTURE_CARDS = [card for card in PACK if card in PICTURES]


def named(names, flags):
    """The names whose flag is set."""
    return [name for name, flag in zip(names, flags, strict=True) if flag]


def cards(flags):
    return named(PACK if flags.size == len(PACK) else KAKKURI_PACK.cards, flags)


def test_every_preset_has_an_environment():
    presets = [preset for game in all_games().values() for preset in game.presets]
    assert [preset_of(name) for name in environment_names()] == presets
    assert set(LAYOUTS) == set(all_games())


def test_sizes_and_places():
    kakeya, kakkuri = LAYOUTS["kakeya"], LAYOUTS["kakkuri"]
    assert (kakeya.size, len(kakeya.actions), kakkuri.size, len(kakkuri.actions)) == (527, 61, 725, 544)
    assert [(field.name, field.offset) for field in kakeya.fields] == [
        *(("hand", 0), ("trick", 52), ("finished", 208), ("voids", 416), ("trump", 432), ("rensho", 436)),
        *(("pictures", 438), ("phase", 470), ("declarations", 473), ("proposals", 489), ("leader", 509)),
        *(("active", 513), ("scalars", 519)),
    ]
    assert kakeya.actions[:52] == PACK
    assert kakeya.actions[52:] == ("PREFER", "DEFER", "IKU", "KOI", "KEEP", *SUITS)
    assert kakkuri.actions[-8:] == ("PASS", "TURN", "DROP", "SANSOKU", "SWAP", "KEEP", "DEAL", "GIVE")
    assert (kakkuri.actions[0], kakkuri.actions[535]) == ("AS@1", "KC+2D+AC@12")


DIGESTS = {
    "kakeya": "8a41599868d9a002cb2895d343b893ee45d44a11fb0d419887d5ea2806f75fa8",
    "kakkuri": "40e475a1ac6d5f7d7f223205e62df3f1a01ac3176478eba8bcc0b98518b0577d",
}


@pytest.mark.parametrize("game", LAYOUTS)
def test_a_version_never_changes_its_meaning(game):
    """Trained policies rely on it. A change of a layout needs a new version."""
    digest = hashlib.sha256()
    for name in environment_names():
        if layout(name).name == game:
            for state in positions(name, number=2):
                digest.update(layout(name).encode(state.observe(1)).tobytes())
    digest.update(",".join(LAYOUTS[game].actions).encode())
    assert digest.hexdigest() == DIGESTS[game]


@pytest.mark.parametrize("name", KAKEYA)
def test_kakeya_fields_say_what_the_observation_says(name):
    asked = set()
    for count, state in enumerate(positions(name)):
        for seat in state.to_act if count % 5 else range(1, 5):
            seen = json.loads(json.dumps(state.observe(seat)))
            check_kakeya(seen, parts(name, layout(name).encode(seen)))
            if seat in seen["to_act"]:
                asked.add((seen["phase"], seat in seen["active"]))
    assert ("play", True) in asked
    assert (("trump", False) in asked) == name.startswith("kakeya6")


def check_kakeya(seen, fields):
    view = KakeyaView(Request({"legal": seen["legal"], "observation": seen}))
    turn = view.turn_order(view.active[0])
    ring = [*range(1, seen["seats"] + 1)]
    if seen["direction"] == "left":
        ring.reverse()
    own = ring.index(view.seat)
    ring = ring[own:] + ring[:own]
    first = next(seat for seat in ring if seat in view.active)
    players = view.turn_order(first)
    assert set(turn) == set(players)
    assert cards(fields["hand"]) == list(view.hand)
    assert [cards(each) for each in fields["trick"]] == [[card] for _, card in view.trick] + [[]] * (
        3 - len(view.trick)
    )
    finished = {seat: set() for seat in players}
    for trick in view.tricks:
        for seat, card in zip(view.turn_order(trick["leader"]), trick["cards"], strict=True):
            finished[seat].add(card)
    assert [set(cards(each)) for each in fields["finished"]] == [finished[seat] for seat in players]
    assert [set(named(SUITS, each)) for each in fields["voids"]] == [view.voids[seat] for seat in players]
    assert named(SUITS, fields["trump"]) == [view.trump]
    assert [*fields["rensho"]] == [view.rensho in view.hand, view.rensho in view.played]
    for side, seat in enumerate(players[:2]):
        taken = named(PICTURE_CARDS, fields["pictures"][side])
        assert len(taken) == view.pictures_taken(seat)
        assert any(taken == pictures for pictures in seen["pictures"].values())
    assert named(("trump", "lead", "play"), fields["phase"]) == [view.phase] * (view.phase != "over")
    for field, words in (
        ("declarations", ("PREFER", "DEFER", "IKU", "KOI")),
        ("proposals", ("KEEP", *SUITS)),
    ):
        for player, seat in enumerate(players):
            said = seen[field].get(str(seat))
            assert named(words, fields[field][player]) == ([said] if said else [])
    if view.phase == "play":
        leader = view.trick[0][0] if view.trick else seen["to_act"][0]
        assert named(players, fields["leader"]) == [leader]
    else:
        assert not fields["leader"].any()
    assert named([*ring, 0, 0][:6], fields["active"]) == [seat for seat in ring if seat in view.active]
    pairs = [seen["stones"][str(seat)] + STONES_ZERO for seat in ring[: len(ring) // 2]]
    assert [*fields["scalars"][:3]] == [len(view.tricks), len(view.trick), seen["deal"]]
    assert [*fields["scalars"][3:6]] == [*pairs, 0][:3]
    mine = {view.seat, view.partner}
    assert [*fields["scalars"][6:]] == [bool(mine & set(seen[pair])) for pair in ("dealers", "leaders")]


@pytest.mark.parametrize("seats", [2, 5, 8])
@pytest.mark.parametrize("name", KAKKURI)
def test_kakkuri_fields_say_what_the_observation_says(name, seats):
    for count, state in enumerate(positions(name, seats=seats)):
        for seat in state.to_act if count % 5 else range(1, seats + 1):
            seen = json.loads(json.dumps(state.observe(seat)))
            check_kakkuri(seen, parts(name, layout(name).encode(seen)))


def check_kakkuri(seen, fields):
    seats, seat = seen["seats"], seen["seat"]
    ring = [*range(seat, seats + 1), *range(1, seat)]
    padded = [*ring, *[0] * (8 - seats)]
    assert cards(fields["hand"]) == seen["hand"]
    played = {each: set() for each in padded}
    for who, meld in seen["plays"]:
        played[who] |= set(meld.partition("@")[0].split("+"))
    assert [set(cards(each)) for each in fields["played"]] == [played[each] for each in padded]
    assert set(cards(fields["turned"])) == set(seen["turned"])
    assert named(range(1, 13), fields["follow"]) == [seen["follow"]] * bool(seen["follow"])
    for field in ("active", "dropped", "out", "sansoku", "to_act"):
        assert set(named(padded, fields[field])) == set(seen[field]), field
    assert named(padded, fields["seated"]) == ring
    assert named(padded, fields["dealer"]) == [seen["dealer"]]
    assert named(padded, fields["last"]) == [seen["last"]] * bool(seen["last"])
    assert named(("deal", "fuwaru", "turn"), fields["phase"]) == [seen["phase"]] * (seen["phase"] != "over")
    for place, who in enumerate(ring):
        assert set(named(range(1, 13), fields["passes"][place])) == {v for s, v in seen["passes"] if s == who}
        assert named(range(7), fields["hand_sizes"][place]) == [seen["hand_sizes"][str(who)]]
        assert fields["stones"][place] == seen["stones"][str(who)] + STONES_ZERO
    assert not fields["hand_sizes"][seats:].any()
    assert not fields["stones"][seats:].any()
    assert [*fields["scalars"]] == [
        *(seen["pot"], seen["box_size"], seen["deal"], seen["played_this_turn"]),
        *(seen["return_turn"], seen["turned_this_turn"]),
    ]


def test_rensho_played_off_suit_under_rensho_free_shows_no_void():
    name, found = "kakeya4_v0", 0
    for number in range(1, 9):
        for state in [*positions(name, "deal", number, rensho_free=True)][::4]:
            seen = state.observe(1)
            options = {"rensho_free": True}
            view = KakeyaView(Request({"legal": seen["legal"], "observation": seen}, options))
            strict = KakeyaView(Request({"legal": seen["legal"], "observation": seen}))
            fields = parts(name, layout(name).encode(seen, options))
            voids = {seat: set(named(SUITS, fields["voids"][(seat - 1) % 4])) for seat in range(1, 5)}
            assert voids == view.voids
            found += view.voids != strict.voids
    assert found


@pytest.mark.parametrize("name", environment_names())
def test_the_mask_has_the_legal_actions(name):
    known = layout(name)
    for state in positions(name):
        for seat in state.to_act:
            mask = known.mask(state.legal(seat))
            assert mask.dtype == np.uint8
            assert set(named(known.actions, mask)) == set(state.legal(seat))


@pytest.mark.parametrize(
    "options", [{"court_order": "QJK"}, {"wild_mode": "reset"}, {"wild_in_sansoku": True}]
)
def test_the_actions_of_kakkuri_cover_all_options(options):
    for state in positions("kakkuri_v0", **options):
        for seat in state.to_act:
            assert layout("kakkuri_v0").mask(state.legal(seat)).sum() == len(state.legal(seat))


def test_stones_are_clipped():
    state = next(iter(positions("kakeya4_v0", stones=1000)))
    assert [*parts("kakeya4_v0", layout("kakeya4_v0").encode(state.observe(1)))["scalars"][3:6]] == [
        255,
        255,
        0,
    ]


@pytest.mark.parametrize(
    ("name", "culprit"), [("kakeya5_v0", "kakeya5"), ("kakeya4", "kakeya4"), ("kakeya4_v7", "version 7")]
)
def test_unknown_names_are_refused_with_a_remedy(name, culprit):
    with pytest.raises(LayoutError, match=culprit) as caught:
        layout(name)
    assert "kakeya4_v0" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_foreign_observations_actions_and_fields_are_refused():
    kakeya, kakkuri = layout("kakeya4_v0"), layout("kakkuri_v0")
    seen = next(iter(positions("kakeya4_v0"))).observe(1)
    for refused in (
        lambda: kakkuri.encode(seen),
        lambda: kakeya.mask(["4H@4"]),
        lambda: kakeya.part(kakeya.encode(seen), "heads"),
    ):
        with pytest.raises(LayoutError):
            refused()
