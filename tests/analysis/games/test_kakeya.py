"""Notes on deals of Kakeya and Etori: values, costs, declarations, averages."""

import itertools
import random
import statistics

import pytest

from analysis.accuracy import board_costs, costly_decisions
from analysis.games.kakeya.averages import _possible, average_of
from analysis.games.kakeya.plays import Play, deals_played
from analysis.notes import notes_of_record
from analysis.work import Work
from engine import ObservationError, preset_named, replay
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import PLAY
from engine.kernel import play as played_on
from engine.kernel import position_of, solve
from tests.analysis.records import FEW_NODES, played_record, sensible
from tests.engine.kernel.brute import brute_value
from viewer.build import view_of

PRESETS = ("kakeya4", "kakeya6", "etori.simple", "etori.simple6", "etori.meiji")
GAME = {"kind": "game", "options": {"hand_cap": 3}}


def deals_of(record, **options):
    """Notes and view of each deal, with the first side that plays."""
    notes = notes_of_record(record, FEW_NODES, **options)
    view = view_of(record)
    viewed = [(board["board"], deal) for board in view["boards"] for deal in board["deals"]]
    for noted, (board, deal) in zip(notes["deals"], viewed, strict=True):
        playing = [side for side in view["sides"] if side[0] not in deal["resting"]]
        assert (noted["board"], noted["deal"]) == (board, deal["deal"])
        yield noted, deal, playing[0]


@pytest.mark.parametrize(
    ("preset", "options"), [*((name, {}) for name in PRESETS), ("kakeya4", GAME), ("kakeya6", GAME)]
)
def test_notes_have_the_entries_and_the_result_of_the_view(preset, options):
    boards = (1,) if options else (1, 2, 5)
    costs = 0
    for noted, deal, first in deals_of(played_record(preset, boards, **options)):
        value = noted["value"]
        for index, step in noted["steps"].items():
            item = deal["steps"][int(index)]
            assert int(index) >= noted["from"]
            assert step["seat"] == item["s"]
            assert step.get("action", item["a"]) == item["a"]
            assert item["a"] in itertools.chain(*step["values"].values())
            if cost := step.get("cost", 0):
                value += -cost if item["s"] in first else cost
                costs += 1
        assert value == deal["end"]["stones"][str(first[0])]
    assert costs


@pytest.mark.parametrize("preset", PRESETS)
def test_values_agree_with_separate_solutions(preset):
    record = played_record(preset, (3,), seed=11)
    (noted,) = notes_of_record(record, FEW_NODES)["deals"]
    plays = plays_of(record)
    for index in random.Random(preset).sample(range(noted["from"], len(plays)), 12):
        position = position_of(plays[index].state)
        values = {
            card: solve(played_on(position, KAKEYA_PACK.cards.index(card))).low
            if any(position.hands[(position.turn + 1) % 4 :] + position.hands[: position.turn])
            else None
            for card in plays[index].state.legal(plays[index].seat)
        }
        step = noted["steps"].get(str(index))
        if step is None:
            assert len(set(values.values())) == 1
        else:
            assert {card: int(value) for value, cards in step["values"].items() for card in cards} == values


@pytest.mark.parametrize("board", range(1, 9))
def test_costs_of_short_endings_are_those_of_brute_force(board):
    record = played_record("kakeya4", (board,), seed=board)
    (noted,) = notes_of_record(record, FEW_NODES)["deals"]
    plays = plays_of(record)
    for index in range(40, 51):
        play = plays[index]
        best, after = (
            brute_value(position_of(plays[at].state)) if at < len(plays) else None
            for at in (index, index + 1)
        )
        assert noted["steps"].get(str(index), {}).get("cost", 0) == play.sign * (best - after)


def plays_of(record):
    replayed = replay(record, keep_states=True)
    return next(iter(deals_played(replayed, replayed.boards[0]))).plays


def test_a_deal_is_solved_back_to_the_limit():
    record = played_record("kakeya4", (1,))
    starts = []
    for nodes in (5, 300, 20_000):
        (noted,) = notes_of_record(record, {"nodes": nodes, "deals": 0})["deals"]
        starts.append(noted["from"])
        assert noted["leads"] == {}
        assert noted["declarations"] == {}
    assert starts == sorted(starts, reverse=True)
    assert starts[0] > starts[2] > 0


# Declarations


@pytest.mark.parametrize("preset", ["kakeya4", "kakeya6"])
def test_declarations_have_the_entries_of_the_view(preset):
    record = played_record(preset, (1,), **GAME)
    replayed = replay(record, keep_states=True)
    (board,) = view_of(record)["boards"]
    for played, deal in zip(deals_played(replayed, replayed.boards[0]), board["deals"], strict=True):
        assert {index: act[:2] for index, act in played.declarations.items()} == {
            index: (item["s"], item["a"]) for index, item in enumerate(deal["before"]) if item["k"] == "lead"
        }
        assert min(played.declarations) == 2


def declaring(answers):
    def choose(rng, state, seat):
        if state.phase == PLAY:
            return sensible(rng, state, seat)
        return answers.get(seat, state.legal(seat)[0])

    return choose


def with_answers(board, answers, **options):
    record = played_record("kakeya4", (board,), choose=declaring(answers), **options)
    (noted,) = notes_of_record(record, {"nodes": None, "deals": 0})["deals"]
    return noted, plays_of(record)[0]


DECISIVE = 114
"""A board of which the two leads differ in value."""


def test_a_declaration_is_worth_the_lead_that_results_from_the_answer_of_the_partner():
    answers = ("PREFER", "DEFER")
    a, b = 2, 4
    played = {
        pair: with_answers(DECISIVE, dict(zip((a, b), pair, strict=True)))
        for pair in itertools.product(answers, answers)
    }
    costs = 0
    for pair, (noted, first) in played.items():
        assert noted["leads"][str(first.seat)] == noted["value"]
        assert len(set(noted["leads"].values())) == 2
        for index, (seat, answer) in enumerate(zip((a, b), pair, strict=True)):
            expected = {}
            for other in answers:
                changed = (other, pair[1]) if seat == a else (pair[0], other)
                expected[other] = played[changed][0]["value"]
            note = noted["declarations"].get(str(index))
            if len(set(expected.values())) == 1:
                assert note is None
                continue
            assert (note["seat"], note["action"], note["values"]) == (seat, answer, expected)
            best = max(expected.values(), key=lambda value: first.sign * value)
            assert note.get("cost", 0) == first.sign * (best - expected[answer])
            costs += "cost" in note
    assert costs


def test_the_decider_alone_is_judged_where_only_it_speaks():
    options = {"options": {"lead_protocol": "iku_koi"}}
    by_answer = {
        answer: with_answers(DECISIVE, dict.fromkeys((2, 4), answer), **options) for answer in ("IKU", "KOI")
    }
    values = {answer: noted["value"] for answer, (noted, _) in by_answer.items()}
    for answer, (noted, _) in by_answer.items():
        assert noted["declarations"]["0"]["values"] == values
        assert noted["declarations"]["0"]["action"] == answer
    assert sum("cost" in noted["declarations"]["0"] for noted, _ in by_answer.values()) == 1


# Averages


def losses_by_enumeration(game, play):
    """What the played card loses against each other card, in every deal that the seat cannot exclude."""
    state = play.state
    worlds = game.worlds(state.deal.setting.ruleset, state.observe(play.seat))
    sizes = {seat: len(cards) for seat, cards in worlds.draw(random.Random(0)).items() if seat != play.seat}
    hidden = [card for seat in sizes for card in KAKEYA_PACK.listed(state.deal.hands[seat] & state.unplayed)]
    losses = {card: [] for card in state.legal(play.seat)}
    for hands in dealt(hidden, list(sizes.items())):
        try:
            possible = worlds.state(hands)
        except ObservationError:
            continue
        position = position_of(possible)
        values = {
            card: play.sign * brute_value(played_on(position, KAKEYA_PACK.cards.index(card)))
            for card in losses
        }
        for card, value in values.items():
            losses[card].append(value - values[play.card])
    return losses


def dealt(cards, sizes):
    if not sizes:
        yield {}
        return
    (seat, size), *others = sizes
    for hand in itertools.combinations(cards, size):
        for hands in dealt([card for card in cards if card not in hand], others):
            yield {seat: hand, **hands}


def late_plays(choose_late, boards=range(1, 25)):
    """Plays with a choice in the last trick but one, by ``choose_late(means)``, and their notes.

    ``means`` has what each legal card is worth over all possible deals.
    """
    game = preset_named("kakeya4")[0]

    def choose(rng, state, seat):
        legal = state.legal(seat)
        if state.phase != PLAY or len(state.tricks) != 11 or len(legal) == 1:
            return rng.choice(legal)
        return choose_late(means_by_card(game, Play(state, seat, legal[0], 1 if seat % 2 else -1)))

    for board in boards:
        record = played_record("kakeya4", (board,), choose=choose, seed=board)
        (notes,) = notes_of_record(record, {"nodes": 100, "deals": 64})["deals"]
        plays = plays_of(record)
        for index in range(44, 48):
            if len(plays[index].state.legal(plays[index].seat)) > 1:
                yield means_by_card(game, plays[index]), plays[index], notes["steps"].get(str(index), {})


def means_by_card(game, play):
    """What each legal card wins more than the first, over all deals that the seat cannot exclude."""
    return {card: statistics.mean(losses) for card, losses in losses_by_enumeration(game, play).items()}


def test_a_costly_play_that_was_best_over_all_possible_deals_is_unlucky():
    boards = (203, 287)  # With random play before it, such plays are rare.
    costly = [
        note for _, _, note in late_plays(lambda means: max(means, key=means.get), boards) if "cost" in note
    ]
    assert [note["kind"] for note in costly] == ["unlucky", "unlucky"]
    assert all(note["average"]["loss"] <= 2 * note["average"]["error"] for note in costly)


def test_a_play_that_was_worse_over_all_possible_deals_is_a_mistake_if_it_cost_stones():
    kinds = []
    for means, play, note in late_plays(lambda means: min(means, key=means.get)):
        loss = max(means.values()) - means[play.card]
        if "average" in note:
            average = note["average"]
            assert abs(average["loss"] - loss) <= 5 * average["error"] + 0.02
            kinds.append(note.get("kind"))
        if loss > 0.5:
            assert note["average"]
            assert note.get("kind") == ("mistake" if "cost" in note else None)
    assert {"mistake", None} <= set(kinds)


def test_the_best_card_is_not_measured_on_the_deals_that_selected_it(monkeypatch):
    samples = {}

    def drawn(game, play, deals, work, purpose):
        samples[purpose[-1]] = list(_possible(game, play, deals, work, purpose))
        return samples[purpose[-1]]

    monkeypatch.setattr("analysis.games.kakeya.averages._possible", drawn)
    game = preset_named("kakeya4")[0]
    for _, play, note in late_plays(lambda means: min(means, key=means.get), (5, 6, 7, 8)):
        if "average" in note:
            samples.clear()
            average_of(game, play, Work("0", {"nodes": None, "deals": 64}), (1, 1, 1))
            assert len(samples["best"]) == len(samples["loss"]) == 64
            assert samples["best"] != samples["loss"]
            return
    raise AssertionError("no play has a loss")


def test_averages_are_made_from_trick_four_and_before_it_of_costly_plays(monkeypatch):
    asked = []
    monkeypatch.setattr("analysis.games.kakeya.average_of", lambda *call: asked.append(call[-1]))
    record = played_record("kakeya4", (28,), choose=lambda rng, state, seat: rng.choice(state.legal(seat)))
    (noted,) = notes_of_record(record, {"nodes": None, "deals": 2})["deals"]
    plays = plays_of(record)
    costly = [int(index) for index, step in noted["steps"].items() if "cost" in step]
    choices = [index for index, play in enumerate(plays) if len(play.state.legal(play.seat)) > 1]
    assert asked == [(28, 1, index) for index in choices if index >= 12 or index in costly]
    assert min(costly) < 12


def test_answers_of_the_referee_are_marked_and_not_averaged(monkeypatch):
    asked = []
    monkeypatch.setattr("analysis.games.kakeya.average_of", lambda *call: asked.append(call[1].seat))
    record = played_record("kakeya4", (1,), forfeits={2: 2})
    (noted,) = notes_of_record(record, {"nodes": 3000, "deals": 2})["deals"]
    assert {step["seat"] for step in noted["steps"].values() if step.get("by") == "referee"} == {2}
    assert set(asked) == {1, 3, 4}
    assert 2 not in board_costs({"deals": [noted]})
    assert 2 not in {one.seat for one in costly_decisions({"deals": [noted]})}


def test_first_tricks_are_averaged_over_fewer_deals(monkeypatch):
    asked = []
    state = plays_of(played_record("kakeya4", (1,)))[0].state

    def drawn(*arguments):
        asked.append(arguments[2])
        return iter(())

    monkeypatch.setattr("analysis.games.kakeya.averages._possible", drawn)
    play = Play(state, state.to_act[0], state.legal(state.to_act[0])[0], 1)
    average_of(None, play, Work("0", {"nodes": None, "deals": 64}), (1, 1, 1))
    assert asked == [16]
