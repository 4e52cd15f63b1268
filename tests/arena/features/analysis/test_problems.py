"""Problems: found in notes, checked, listed, answered once, and closed again by a rerun."""

from __future__ import annotations

import json
import re
import threading

import pytest
import pytest_django
from django.test import Client

from analysis.problems import parse_problem, problem_errors
from arena.common.rates import local_counters
from arena.competition.models import Tournament
from arena.features.analysis.feature import ANALYSIS
from arena.features.analysis.models import Problem, ProblemAttempt, ProblemDecision, TableAnalysis
from arena.features.analysis.problems import attempts
from arena.features.analysis.problems.attempts import attempts_prune
from arena.features.analysis.problems.candidates import MAX_PER_BOARD
from arena.features.analysis.problems.queue import problem_claim, problem_fail, problem_finish
from arena.features.analysis.queue import cpu_ms_left
from arena.features.analysis.runner.computing import ComputingProcess
from arena.features.analysis.runner.problem_check import check_candidate
from arena.jobs.flow import tournament_advance
from arena.matches.models import Fixture
from arena.matches.reruns import table_rerun
from tests.arena.api.conftest import caller
from tests.arena.features.analysis.conftest import a_played_event
from tests.arena.features.analysis.problems import found_problems, propose
from tests.arena.once import given, made_once
from tests.factories import chie, sota

pytestmark = pytest.mark.django_db


def an_event_with_problems() -> Tournament:
    event = a_played_event()
    assert found_problems()
    return event


rows_with_problems = made_once(an_event_with_problems, serials=1000)


@pytest.fixture
def event(rows_with_problems: Tournament, db: None) -> Tournament:
    """A played event whose problems are known."""
    return given(rows_with_problems)


@pytest.fixture
def problem(event: Tournament) -> Problem:
    row = Problem.objects.filter(state=Problem.State.READY).order_by("-id").first()
    assert row is not None
    return row


def answer(client: Client, problem: Problem, card: str, address: str = "192.0.2.1") -> int:
    path = f"/problems/{problem.public_id}/answer"
    return client.post(path, {"action": card}, REMOTE_ADDR=address).status_code


def other_card(problem: Problem) -> str:
    return next(card for card in problem.observation["legal"] if card != problem.best)


def statuses(problem: Problem, client: Client) -> set[tuple[int, bool]]:
    """Status of each address, and whether the list has the problem."""
    page, api = f"/problems/{problem.public_id}", f"/api/v1/problems/{problem.public_id}"
    found = {client.get(address).status_code for address in (page, f"{page}/proof", api)}
    found.add(client.post(f"{page}/answer", {"action": problem.best}).status_code)
    listed = problem.public_id in client.get("/problems").content.decode()
    assert listed == (
        problem.public_id in [row["id"] for row in client.get("/api/v1/problems").json()["results"]]
    )
    return {(status, listed) for status in found}


def test_every_problem_has_a_proof_that_anybody_can_compute_again(event: Tournament) -> None:
    rows = list(Problem.objects.filter(state=Problem.State.READY))
    assert len(rows) >= 3
    for row in rows:
        found, position = parse_problem(json.dumps(row.proof).encode())
        assert list(problem_errors(found, position)) == []
        assert next(iter(found["values"].values())) == [row.best]
        assert set(found["averages"]) == set(row.observation["legal"]) - {row.best}
        assert row.observation["hand"]
        assert row.observation["seat"] == row.seat == found["seat"]
        assert not {"hands", "deck"} & set(row.observation)


def test_candidates_that_are_no_problem_on_average_are_rejected_with_the_reason(event: Tournament) -> None:
    rejected = Problem.objects.filter(state=Problem.State.REJECTED)
    assert rejected
    assert all(row.reason and not row.proof for row in rejected)
    assert caller(None).get(f"/api/v1/problems/{rejected[0].public_id}").status_code == 404


def test_a_board_has_few_candidates_and_each_position_one(event: Tournament) -> None:
    count = Problem.objects.count()
    for row in TableAnalysis.objects.filter(state=TableAnalysis.State.READY):
        propose(row)
    boards = list(Problem.objects.order_by().values_list("board_set", "board", "key"))
    assert len(set(boards)) == len(boards)
    assert all(sum(other[:2] == each[:2] for other in boards) <= MAX_PER_BOARD for each in boards)
    assert Problem.objects.count() >= count


def test_the_share_of_bots_counts_each_table_that_reached_the_position(problem: Problem) -> None:
    (decision,) = ProblemDecision.objects.filter(problem=problem)
    assert decision.analysis_id == problem.analysis_id
    assert (problem.bots, problem.bots_found) == (1, int(decision.card == problem.best))
    propose(decision.analysis)
    assert ProblemDecision.objects.filter(problem=problem).count() == 1


def test_a_visitor_sees_the_position_of_one_seat_and_the_answer_only_afterwards(problem: Problem) -> None:
    client = Client()
    before = client.get(f"/problems/{problem.public_id}").content.decode()
    shown = set(re.findall(r'name="action" value="(\w+)"', before))
    assert set(problem.observation["legal"]) <= shown <= set(problem.observation["hand"])
    assert "answer-title" not in before
    assert answer(client, problem, problem.best) == 302
    after = client.get(f"/problems/{problem.public_id}").content.decode()
    assert "answer-title" in after
    assert f'action="/problems/{problem.public_id}/answer"' not in after
    assert f"/tables/{problem.analysis.table.public_id}" in after
    problem.refresh_from_db()
    assert (problem.visitors, problem.visitors_found) == (1, 1)


def test_the_first_answer_of_a_browser_counts_and_the_page_keeps_it(problem: Problem) -> None:
    client = Client()
    for card in (other_card(problem), problem.best, problem.best):
        assert answer(client, problem, card) == 302
    problem.refresh_from_db()
    assert (problem.visitors, problem.visitors_found) == (1, 0)
    assert ProblemAttempt.objects.get().card == other_card(problem)
    assert answer(Client(), problem, problem.best) == 302
    problem.refresh_from_db()
    assert (problem.visitors, problem.visitors_found) == (2, 1)
    tries = problem.bots + problem.visitors
    assert problem.ease == (problem.bots_found + problem.visitors_found + 1) / (tries + 2)


def test_an_account_answers_once_in_all_its_browsers(problem: Problem) -> None:
    for card in (other_card(problem), problem.best):
        client = Client()
        client.force_login(chie())
        assert answer(client, problem, card) == 302
    assert [attempt.card for attempt in ProblemAttempt.objects.all()] == [other_card(problem)]
    own = ANALYSIS.own_data
    assert own is not None
    assert own(chie())["problem_answers"][0]["problem"] == problem.public_id


def test_who_asks_for_the_answer_is_not_counted(problem: Problem) -> None:
    client = Client()
    assert answer(client, problem, "") == 302
    assert "answer-title" in client.get(f"/problems/{problem.public_id}").content.decode()
    problem.refresh_from_db()
    assert problem.visitors == 0


@pytest.mark.parametrize("card", ["XX", "PASS", "\0", "as", "A" * 5000])
def test_a_card_that_cannot_be_played_is_refused_and_stored_nowhere(problem: Problem, card: str) -> None:
    assert answer(Client(), problem, card) == 400
    unplayed = next(
        card
        for card in problem.observation["hand"] + ["2S", "2H"]
        if card not in problem.observation["legal"]
    )
    assert answer(Client(), problem, unplayed) == 400
    assert not ProblemAttempt.objects.exists()


def test_guests_of_an_address_are_limited_and_accounts_are_not(
    problem: Problem, settings: pytest_django.Settings
) -> None:
    settings.API_RATES = {**settings.API_RATES, "problem_guests": "2/hour"}
    local_counters.clear()
    assert [answer(Client(), problem, problem.best) for _ in range(3)] == [302, 302, 429]
    assert answer(Client(), problem, problem.best, "198.51.100.7") == 302
    client = Client()
    client.force_login(chie())
    assert answer(client, problem, problem.best) == 302


def test_beyond_the_limit_answers_are_shown_but_not_stored(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "MAX_COUNTED", 1)
    answer(Client(), problem, problem.best)
    assert answer(Client(), problem, problem.best, "198.51.100.7") == 200
    assert ProblemAttempt.objects.count() == 1


def test_digests_of_guests_are_removed_with_their_cookies(problem: Problem) -> None:
    answer(Client(), problem, problem.best)
    assert attempts_prune() == 0
    ProblemAttempt.objects.update(created_at="2020-01-01T00:00:00Z")
    assert attempts_prune() == 1
    assert ProblemAttempt.objects.get().guest == ""


@pytest.mark.parametrize("state", ["planned", "open"])
def test_a_rerun_of_any_table_closes_the_board_again(problem: Problem, state: str) -> None:
    client = Client()
    assert statuses(problem, client) == {(200, True), (302, True)}
    others = Fixture.objects.filter(board_set=problem.board_set)
    others.filter(pk=others.order_by("-pk").values("pk")[:1]).update(state=state)
    for user in (None, sota()):
        viewer = Client()
        if user is not None:
            viewer.force_login(user)
        assert statuses(problem, viewer) == {(423, False)}


def test_a_rerun_deletes_the_problems_of_the_old_record(event: Tournament, problem: Problem) -> None:
    table_rerun(problem.analysis.table, event.organiser, "power cut")
    tournament_advance(event)
    assert caller(None).get(f"/api/v1/problems/{problem.public_id}").json()["code"] == "sealed"
    type(problem.analysis.table).objects.filter(pk=problem.analysis.table_id).update(record_sha256="1" * 64)
    results = ANALYSIS.results_changed
    results([problem.board_set_id])
    assert not Problem.objects.filter(pk=problem.pk).exists()


@pytest.mark.parametrize("change", [{"visibility": "private"}, {"state": "draft"}])
def test_problems_of_a_tournament_that_is_not_public_do_not_exist(
    event: Tournament, problem: Problem, change: dict[str, str]
) -> None:
    Tournament.objects.filter(pk=event.pk).update(**change)
    for user in (None, event.organiser, sota()):
        client = Client()
        if user is not None:
            client.force_login(user)
        assert statuses(problem, client) == {(404, False)}


def test_the_list_is_filtered_sorted_and_takes_as_many_queries_for_many_rows(
    event: Tournament, django_assert_max_num_queries: pytest_django.DjangoAssertNumQueries
) -> None:
    rows = list(Problem.objects.filter(state=Problem.State.READY).order_by("-id"))
    Problem.objects.filter(pk=rows[-1].pk).update(ease=0.1)
    client = Client()
    ids = r'href="/problems/(\w+)"'
    newest = re.findall(ids, client.get("/problems").content.decode())
    assert newest == [row.public_id for row in rows]
    with django_assert_max_num_queries(6):
        hardest = re.findall(ids, client.get("/problems?order=hardest&preset=kakeya4").content.decode())
    assert hardest[0] == rows[-1].public_id
    assert set(hardest) == set(newest)
    for query in ("order=best", "preset=kakkuri", "page=x"):
        assert client.get(f"/problems?{query}").status_code == 400


def test_the_process_checks_a_candidate_and_its_time_counts_towards_the_budget(
    event: Tournament, problem: Problem
) -> None:
    left = cpu_ms_left()
    Problem.objects.filter(pk=problem.pk).update(state=Problem.State.WAITING, proof={}, observation={})
    row = problem_claim()
    assert row is not None
    assert row.pk == problem.pk
    assert problem_claim() is None
    process = ComputingProcess(is_idle=True)
    try:
        check_candidate(row, process, threading.Event())
    finally:
        process.kill()
    row.refresh_from_db()
    assert row.state == Problem.State.READY
    assert row.proof["best"] == problem.best
    assert cpu_ms_left() < left


def test_a_candidate_fails_three_times_and_a_lost_lease_changes_nothing(problem: Problem) -> None:
    Problem.objects.filter(pk=problem.pk).update(state=Problem.State.WAITING, proof={}, observation={})
    for _ in range(3):
        row = problem_claim()
        assert row is not None
        problem_fail(row, "it died", 0.1)
    problem.refresh_from_db()
    assert (problem.state, problem.failures, problem.reason) == (Problem.State.REJECTED, 3, "it died")
    assert not problem_finish(row, None, "", "too late", 0.1)


def test_readers_see_what_they_solved_and_are_led_to_the_next_unanswered_problem(event: Tournament) -> None:
    client = Client()
    first, *others = Problem.objects.filter(state=Problem.State.READY).order_by("-id")
    preset = [row for row in (first, *others) if row.preset == first.preset]
    assert len(preset) >= 3
    assert answer(client, preset[1], preset[1].best) == 302
    page = client.get(f"/problems/{preset[1].public_id}")
    assert page.context["next"] == preset[2].public_id
    for row in preset[2:]:
        assert answer(client, row, other_card(row)) == 302
    page = client.get(f"/problems/{preset[-1].public_id}")
    assert page.context["next"] == first.public_id
    assert page.context["score"] == (len(preset) - 1, 1)
    assert answer(client, first, "") == 302
    page = client.get(f"/problems/{first.public_id}")
    assert (page.context["next"], page.context["score"]) == ("", (len(preset) - 1, 1))
    listed = {row.problem.pk: row.is_correct for row in client.get("/problems").context["listed"]}
    assert listed[preset[1].pk] is True
    assert listed[preset[2].pk] is False
    assert all(row.is_correct is None for row in Client().get("/problems").context["listed"])
