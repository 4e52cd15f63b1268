"""What may be asked: which versions, how sure, how often, and what a refusal says."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import Notice
from arena.common.errors import ArenaError
from arena.features.experiments.limits import available_cpu_s, counted_experiments
from arena.features.experiments.models import Experiment
from arena.features.experiments.selectors import experiment_get, experiments_visible_to
from arena.features.experiments.services import experiment_create
from arena.operations.account_deletion import account_delete
from arena.roster.services import version_retire
from tests.arena.features.experiments.batches import asked, two_versions
from tests.arena.features.experiments.due import experiment_halt
from tests.factories import a_bot, a_suspended_version, a_version, aya, ben, chie, sota

pytestmark = pytest.mark.django_db


def refusal(new: Any = None, old: Any = None, **fields: Any) -> ArenaError:
    before = Experiment.objects.count()
    with pytest.raises(ArenaError) as refused:
        asked(new, old, **fields)
    assert Experiment.objects.count() == before
    return refused.value


def test_the_candidate_is_one_s_own_and_the_baseline_own_or_public() -> None:
    own, _ = two_versions()
    public, private = a_version(a_bot(ben())), a_version(a_bot(ben(), visibility="private"))
    assert refusal(public, own).code == "not_owner"
    assert refusal(own, private).code == "not_owner"
    assert refusal(own, public, field=[private]).code == "not_owner"
    assert asked(own, public).owner == aya()
    assert experiment_create(sota(), public, own, preset="kakeya4").owner == sota()


def test_versions_are_of_the_game_ready_and_different() -> None:
    own, old = two_versions()
    other = a_version(a_bot(aya(), game="kakkuri"))
    error = refusal(own, other)
    assert (error.code, error.extra["field"]) == ("wrong_game", "baseline")
    assert refusal(own, own).code == "duplicate_version"
    assert refusal(own, old, field=[old]).code == "duplicate_version"
    assert refusal(own, a_suspended_version(a_bot(ben()))).code == "version_suspended"
    same = a_version(a_bot(aya()), bundle_sha256=own.bundle_sha256)
    assert refusal(own, same).code == "identical_versions"
    version_retire(old, aya())
    assert refusal(own, old).code == "not_ready"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"difference": 0}, "difference"),
        ({"difference": float("nan")}, "difference"),
        ({"alpha": 0.5}, "alpha"),
        ({"beta": 0.0001}, "beta"),
        ({"cap": 19}, "cap"),
        ({"cap": 5001}, "cap"),
        ({"boards_per_batch": 0}, "boards_per_batch"),
        ({"budget_cpu_s": 10**6}, "budget_cpu_s"),
        ({"preset": "bridge"}, "preset"),
    ],
)
def test_a_wrong_value_is_named(fields: dict[str, Any], field: str) -> None:
    assert refusal(**fields).extra["field"] == field


def test_a_field_fills_a_table() -> None:
    new, old = two_versions("kakkuri")
    rules = {"preset": "kakkuri", "ruleset": {"seats": 4}}
    one = a_version(a_bot(ben(), game="kakkuri"))
    error = refusal(new, old, field=[one], **rules)
    assert error.code == "field_size"
    # Without a field the other sides are house greedy's, and there is none here.
    assert refusal(new, old, **rules).code == "house_bot_missing"


def test_a_day_has_its_quota_and_our_faults_use_up_none(settings: Any) -> None:
    settings.EXPERIMENTS_PER_DAY = 2
    first, _ = asked(), asked()
    error = refusal()
    assert (error.code, error.extra["limit"]) == ("experiment_quota_exceeded", 2)
    available_at = datetime.datetime.fromisoformat(error.extra["available_at"])
    assert available_at == first.created_at + datetime.timedelta(days=1)
    ended = {"state": "stopped", "finished_at": timezone.now()}
    Experiment.objects.filter(pk=first.pk).update(end_code=Experiment.End.FAULTS, **ended)
    assert counted_experiments(aya()).count() == 1
    asked()


def test_a_day_has_its_cpu_of_which_what_may_still_be_used_is_taken(settings: Any) -> None:
    settings.EXPERIMENT_CPU_S_PER_DAY = 100
    first = asked(budget_cpu_s=60)
    error = refusal(budget_cpu_s=41)
    assert (error.code, error.extra["available_cpu_s"]) == ("experiment_quota_exceeded", 40)
    experiment_halt(first, aya())
    Experiment.objects.update(cpu_ms_spent=10_000)
    assert available_cpu_s(aya()) == 90


def test_only_its_owner_and_staff_see_it() -> None:
    experiment = asked()
    for user in (aya(), sota()):
        assert list(experiments_visible_to(user)) == [experiment]
        assert experiment_get(experiment.public_id, user) == experiment
    for stranger in (ben(), chie()):
        assert not experiments_visible_to(stranger).exists()
        with pytest.raises(ArenaError, match="experiment_not_found"):
            experiment_get(experiment.public_id, stranger)
    with pytest.raises(ArenaError, match="not_owner"):
        experiment_halt(experiment, ben())


def test_a_closed_account_s_experiments_are_stopped_and_its_names_forgotten() -> None:
    own = asked()
    theirs = a_version(a_bot(ben(), name="Kirishima"))
    experiment_halt(experiment_create(sota(), theirs, own.baseline, preset="kakeya4"), sota(), "Kirishima")
    assert "Kirishima" in Notice.objects.get(user=sota()).text
    account_delete(aya())
    own.refresh_from_db()
    assert (own.state, own.state_note) == (Experiment.State.STOPPED, {"code": "account_deleted"})
    account_delete(ben())
    assert "Kirishima" not in Notice.objects.get(user=sota()).text
