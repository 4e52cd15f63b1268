"""Level matches of a knockout are replayed: rulings on the first fixture and on the replay, to the export."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from arena.common.blobs import blob_get
from arena.common.ids import new_public_id
from arena.competition.models import Tournament
from arena.jobs.flow import _round_open, tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.matches.replays import played_table
from arena.matches.rounds import round_close
from arena.standings.audit import tournament_audit
from arena.standings.export import export_document
from arena.standings.models import StandingRow
from arena.standings.selectors import replay_of, stage_display_with_rounds
from arena.standings.services import round_scores_build
from arena.standings.stages import opened_rounds_of
from league.verify.export import disagreements
from tests.arena.play import begun, play_out, play_table, waiting
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db

State = Tournament.State
KNOCKOUT = {"boards_per_round": 1, "stages": [{"format": "single_elimination"}]}


def names_of(fixture: Fixture) -> list[str]:
    return [side.entry.public_id for side in fixture.sides.order_by("position")]


def provisional(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play it out; the audit does not pass."""
    with monkeypatch.context() as broken:
        broken.setattr("arena.jobs.flow.tournament_audit", lambda _, **__: ["something disagrees"])
        play_out(tournament)
    assert tournament.state == State.PROVISIONAL


def met(tournament: Tournament) -> list[Fixture]:
    """Its fixtures of two entries, in the order of play."""
    fixtures = Fixture.objects.filter(tournament=tournament).select_related(
        "board_set__round__stage__tournament"
    )
    return [f for f in fixtures.order_by("board_set__round__number", "number") if f.sides.count() == 2]


def play_round(tournament: Tournament, *, level: bool = False) -> None:
    """Play what waits; a level round is forfeited by both sides of every fixture."""
    for table in waiting(tournament):
        play_table(table, forfeiting=frozenset({1, 2, 3, 4}) if level else frozenset())
    tournament_advance(tournament)
    tournament.refresh_from_db()


def decide(tournament: Tournament, fixture: Fixture, loser: str = "") -> None:
    """Rule on a fixture: a forfeit, or a draw if nobody loses."""
    kind, entries = ("forfeit", [loser]) if loser else ("draw", [])
    fixture_adjudicate(fixture, tournament.organiser, kind, entries, "the power failed")
    tournament_advance(tournament)
    tournament.refresh_from_db()


def champion(tournament: Tournament) -> str:
    return StandingRow.objects.get(stage__tournament=tournament, rank=1).entry.public_id


def ended(tournament: Tournament) -> None:
    assert (tournament.state, tournament.state_reason) == (State.FINAL, "")
    assert tournament_audit(tournament) == []


def test_a_ruling_on_a_match_whose_replay_is_open_leaves_it_to_the_replay() -> None:
    tournament = begun(3, **KNOCKOUT)
    (first,) = met(tournament)
    play_round(tournament, level=True)
    first, replay = met(tournament)
    assert names_of(first) == names_of(replay)
    loser, winner = names_of(first)
    decide(tournament, first, loser)
    assert len(met(tournament)) == 2
    decide(tournament, replay, winner)
    final = met(tournament)[-1]
    assert loser in names_of(final), "the winner of the replay plays the final"
    (rested,) = set(names_of(final)) - {loser}
    decide(tournament, final, rested)
    ended(tournament)
    assert champion(tournament) == loser
    (drawn,) = [stage_display_with_rounds(stage) for stage in tournament.stages.all()]
    assert drawn.replayed == {(2, 1): ((1, 1),)}
    assert replay_of(first) == replay.public_id
    assert replay_of(replay) == replay_of(final) == ""


@pytest.mark.parametrize("kind", ["forfeit", "draw", "void"])
def test_a_ruling_after_the_final_on_a_match_that_was_replayed_changes_no_place(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = begun(3, **KNOCKOUT)
    play_round(tournament, level=True)
    provisional(tournament, monkeypatch)
    first = met(tournament)[0]
    before, count = champion(tournament), len(met(tournament))
    entries = names_of(first)[:1] if kind == "forfeit" else []
    fixture_adjudicate(first, tournament.organiser, kind, entries, "found out later")
    play_out(tournament)
    ended(tournament)
    assert (champion(tournament), len(met(tournament))) == (before, count)


def test_a_grand_final_that_is_ruled_on_while_its_replay_is_open_is_decided_by_the_replay() -> None:
    """The entry that lost once wins the replay, so a second grand final follows."""
    stages = [{"format": "double_elimination"}]
    tournament = begun(2, boards_per_round=1, stages=stages)
    (first,) = met(tournament)
    unbeaten, beaten = names_of(first)
    decide(tournament, first, beaten)
    grand_final = met(tournament)[-1]
    decide(tournament, grand_final)
    replay = met(tournament)[-1]
    decide(tournament, grand_final, unbeaten)
    assert len(met(tournament)) == 3
    decide(tournament, replay, unbeaten)
    second = met(tournament)[-1]
    assert len(met(tournament)) == 4
    decide(tournament, second, beaten)
    ended(tournament)
    assert champion(tournament) == unbeaten
    assert replay_of(grand_final) == replay.public_id
    assert replay_of(first) == replay_of(replay) == replay_of(second) == ""
    (opened,) = [opened_rounds_of(stage) for stage in tournament.stages.all()]
    assert [last for last, _ in opened[1].fixtures[0].earlier] == [3]


def test_no_round_is_opened_by_pairings_that_a_ruling_has_overtaken() -> None:
    tournament = begun(3, **KNOCKOUT)
    (first,) = met(tournament)
    loser, winner = names_of(first)
    fixture_adjudicate(first, tournament.organiser, "forfeit", [loser], "the power failed")
    played = first.board_set.round
    round_close(played)
    round_scores_build(played)
    stale = Tournament.objects.get(pk=tournament.pk)
    fixture_adjudicate(first, tournament.organiser, "forfeit", [winner], "no, the other one")
    assert _round_open(stale, played.stage)
    assert played.stage.rounds.count() == 1
    tournament_advance(tournament)
    assert loser in names_of(met(tournament)[-1])


def test_the_form_of_a_ruling_links_to_the_replay(client: Client) -> None:
    tournament = begun(3, **KNOCKOUT)
    play_round(tournament, level=True)
    first, replay = met(tournament)
    client.force_login(tournament.organiser)
    link = f'href="/organise/fixtures/{replay.public_id}"'
    assert link in page_of(client.get(f"/organise/fixtures/{first.public_id}"))
    assert link not in page_of(client.get(f"/organise/fixtures/{replay.public_id}"))


Change = Callable[[dict[str, Any]], None]


def add_a_fixture(document: dict[str, Any]) -> None:
    rounds = document["stages"][0]["rounds"]
    extra = copy.deepcopy(rounds[0])
    extra |= {
        "number": len(rounds) + 1,
        "board_set": new_public_id(),
        "closed_seq": rounds[-1]["closed_seq"] + 1,
    }
    for fixture in extra["fixtures"]:
        fixture["id"] = new_public_id()
        for table in fixture["tables"]:
            table["id"] = new_public_id()
    rounds.append(extra)


def drop_the_final(document: dict[str, Any]) -> None:
    document["stages"][0]["rounds"].pop()


def another_champion(document: dict[str, Any]) -> None:
    rows = document["stages"][0]["standings"]
    rows[0]["rank"], rows[1]["rank"] = 2, 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (add_a_fixture, "stage 1, round {rounds}: "),
        (drop_the_final, "stage 1: it ended before a match decided between "),
        (another_champion, "stage 1: {champion} is first, but was eliminated"),
    ],
)
def test_planted_errors_of_an_export_are_found(change: Change, sentence: str) -> None:
    tournament = begun(3, **KNOCKOUT)
    play_round(tournament, level=True)
    play_out(tournament)
    ended(tournament)
    document = copy.deepcopy(export_document(tournament, with_open_sets=True, with_secret=True))
    change(document)
    rows = document["stages"][0]["standings"]
    first = next(row["entry"] for row in rows if row["rank"] == 1)
    wanted = sentence.format(champion=first, rounds=len(document["stages"][0]["rounds"]))
    found = disagreements(document, blob_get, played_table)
    assert any(said.startswith(wanted) for said in found), found
