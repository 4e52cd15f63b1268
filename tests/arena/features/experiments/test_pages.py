"""Experiments in the pages: asked for in a form, answered in words first, drawn twice, stopped."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.features.experiments.fields import DEFAULTS
from arena.features.experiments.limits import experiments_left
from arena.features.experiments.models import Experiment
from arena.features.experiments.panels.plots import evidence_plot
from arena.features.experiments.planning import GAINS, boards_needed
from league.sequential import MIN_BOARDS, SequentialTest
from tests import factories
from tests.arena.features.experiments.batches import (
    BASELINE,
    CANDIDATE,
    asked,
    begun,
    two_versions,
    was_played,
)
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way
from tests.arena.web.forms import once_in, page_of
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def aya(client: Client) -> User:
    """Signed in; the client is hers."""
    user = factories.aya()
    client.force_login(user)
    return user


def form_of(page: str, **fields: Any) -> dict[str, Any]:
    """What the form is sent with."""
    given = {"preset": "kakeya4", "difference": 0.2, "alpha": 0.05, "beta": 0.05}
    return {**given, "cap": 40, "boards_per_batch": 20, "once": once_in(page), **fields}


def test_a_version_s_page_leads_to_a_form_that_begins_one(client: Client, aya: User) -> None:
    new, old = two_versions()
    door = f"/experiments/new?candidate={new.public_id}"
    page = text_of(client, new.page)
    assert door in page
    page = text_of(client, door)
    assert f'value="{new.public_id}" selected' in page
    assert f'value="{old.public_id}" selected' in page
    sent = form_of(page, candidate=new.public_id, baseline=old.public_id)
    answer = client.post("/experiments/new", sent, follow=True)
    experiment = Experiment.objects.get()
    assert answer.redirect_chain == [(experiment.page, 302)]
    assert "experiment-running" in page_of(answer)
    assert experiment.page in text_of(client, "/experiments")
    # Sent twice, it is carried out once.
    again = client.post("/experiments/new", sent)
    assert (again.status_code, again["Location"]) == (302, experiment.page)
    assert Experiment.objects.count() == 1


def test_what_is_refused_stands_at_its_field(client: Client, aya: User, settings: Any) -> None:
    new, old = two_versions()
    page = text_of(client, "/experiments/new")
    fields = {"candidate": new.public_id, "baseline": new.public_id}
    answer = client.post("/experiments/new", form_of(page, **fields))
    assert answer.status_code == 400
    settings.EXPERIMENTS_PER_DAY = 0
    answer = client.post("/experiments/new", form_of(page, **{**fields, "baseline": old.public_id}))
    assert not Experiment.objects.exists()


def test_an_accepted_version_has_plots_and_batches_and_can_be_made_active(client: Client, aya: User) -> None:
    experiment = was_played(was_played(begun(cap=200)), BASELINE)
    activate = f"/versions/{experiment.candidate.public_id}/activate"
    page = text_of(client, experiment.page)
    assert page.count('class="evidence ') == 2
    assert experiment.batches.all()[0].tournament.page in page
    assert activate in page
    assert client.post(activate).status_code == 302
    assert activate not in text_of(client, experiment.page)


def test_it_is_stopped_from_its_page(client: Client, aya: User) -> None:
    experiment = asked()
    stop = f"{experiment.page}/stop"
    assert stop in text_of(client, experiment.page)
    page = page_of(client.post(stop, follow=True))
    assert "experiment-stopped" in page
    assert stop not in page
    assert client.post(stop)["Location"] == experiment.page


def test_its_page_asks_again_for_what_changed(client: Client, aya: User) -> None:
    experiment = begun(difference=0.01)
    page = text_of(client, experiment.page)
    version = page.partition('name="have" value="')[2].partition('"')[0]
    asked_again = {"headers": {"HX-Request": "true"}}
    assert client.get(experiment.page, {"have": version}, **asked_again).status_code == 204
    was_played(experiment)
    answer = client.get(experiment.page, {"have": version}, **asked_again)
    assert answer.status_code == 200
    assert f'name="have" value="{version}"' not in page_of(answer)


def drawn(steps: list[tuple[int, float]], *, is_narrow: bool, state: str) -> SimpleNamespace:
    plot = evidence_plot(steps, lower=-3.0, upper=3.0, fewest=20, is_narrow=is_narrow, state=state)
    return SimpleNamespace(**plot)


def test_the_path_is_clipped_thinned_and_said_in_words() -> None:
    steps = [(board, board / 100) for board in range(1, 1200)]
    wide, narrow = (drawn(steps, is_narrow=narrow, state="accepted") for narrow in (False, True))
    assert (wide.width, narrow.width) == (760, 360)
    for plot in (wide, narrow):
        points = [tuple(map(float, point.split())) for point in plot.path[1:].split("L")]
        assert len(points) <= 402
        assert all(plot.left <= x <= plot.right and plot.top <= y <= plot.bottom for x, y in points)
        assert points[-1] == plot.end
        assert plot.end[1] < plot.upper < plot.zero < plot.lower
    assert [tick.text for tick in wide.ticks] == ["0", "400", "800", "1200", "1600", "2000"]
    empty = drawn([], is_narrow=False, state="")
    assert (empty.path, empty.ticks[-1].text) == ("", "100")


@pytest.mark.parametrize(
    ("fields", "forfeiting", "state"),
    [({"difference": 0.15}, CANDIDATE, "rejected"), ({"difference": 0.01, "cap": 20}, None, "inconclusive")],
)
def test_no_and_not_decided(
    client: Client, aya: User, fields: dict[str, Any], forfeiting: int | None, state: str
) -> None:
    page = text_of(client, was_played(begun(**fields), forfeiting).page)
    assert f"experiment-{state}" in page


def test_the_form_estimates_boards_and_says_what_is_left(client: Client, aya: User, settings: Any) -> None:
    two_versions()
    assert boards_needed("kakeya4") == []
    play_out(under_way(2))
    needed = boards_needed("kakeya4")
    assert [row.difference for row in needed] == list(GAINS)
    assert all(MIN_BOARDS <= row.boards <= DEFAULTS["cap"] for row in needed)
    assert [row.boards for row in needed] == sorted((row.boards for row in needed), reverse=True)
    page = text_of(client, "/experiments/new")
    assert page.count('<th scope="row">') == len(GAINS)
    assert experiments_left(aya) == settings.EXPERIMENTS_PER_DAY
    asked()
    assert experiments_left(aya) == settings.EXPERIMENTS_PER_DAY - 1


def test_expected_boards_grow_with_the_noise_and_shrink_with_the_gain() -> None:
    test = SequentialTest(0.2, 0.05, 0.05, 2000)
    assert test.expected_boards(0.2, 0.0) == MIN_BOARDS
    assert test.expected_boards(0.2, 1.0) < test.expected_boards(0.2, 2.0) <= 2000
    assert test.expected_boards(0.4, 2.0) < test.expected_boards(0.2, 2.0)
    assert test.expected_boards(0.1, 50.0) == 2000
    wald = 2 * (0.95 * math.log(19) - 0.05 * math.log(19)) * (1.0 / 0.2) ** 2
    assert test.expected_boards(0.2, 1.0) == test.expected_boards(0.0, 1.0)
    assert abs(test.expected_boards(0.2, 1.0) - wald) < wald / 4
