"""The plan of a chaos test is drawn by its seed, has every kind of fault, and leaves hosts that work."""

from __future__ import annotations

import pytest

from tests.chaos.plan import HOST_KINDS, HOSTS, REST_S, SECONDS, Kind, plan

PLANS = [(seed, minutes * 60.0, minutes * 11) for seed in range(5) for minutes in (3, 30)]


@pytest.mark.parametrize(("seed", "seconds", "faults"), PLANS)
def test_every_kind_occurs_and_all_faults_end_in_time(seed: int, seconds: float, faults: int) -> None:
    planned = plan(seed, seconds, faults)
    assert len(planned) == faults
    assert {fault.kind for fault in planned} == set(Kind)
    assert all(0 <= fault.at_s <= fault.at_s + fault.for_s <= seconds for fault in planned)
    assert all((fault.host in HOSTS) == (fault.kind in HOST_KINDS) for fault in planned)
    for fault in planned:
        shortest, longest = SECONDS.get(fault.kind, (0.0, 0.0))
        assert shortest <= fault.for_s <= longest


@pytest.mark.parametrize(("seed", "seconds", "faults"), PLANS)
def test_a_host_has_one_fault_at_a_time_and_rests_between_them(
    seed: int, seconds: float, faults: int
) -> None:
    planned = plan(seed, seconds, faults)
    for host in ("", *HOSTS):
        free_s = 0.0
        for fault in planned:
            if fault.host == host:
                assert fault.at_s >= free_s
                free_s = fault.at_s + fault.for_s + REST_S - 0.01


@pytest.mark.parametrize(("seed", "seconds", "faults"), PLANS)
def test_not_everything_fails_at_once(seed: int, seconds: float, faults: int) -> None:
    planned = [fault for fault in plan(seed, seconds, faults) if fault.for_s]
    for fault in planned:
        during = [each for each in planned if each.at_s <= fault.at_s < each.at_s + each.for_s]
        assert len(during) <= len(HOSTS)


def test_the_seed_decides() -> None:
    assert plan(7, 180.0, 33) == plan(7, 180.0, 33) != plan(8, 180.0, 33)


@pytest.mark.parametrize("faults", [len(Kind) - 1, 1000])
def test_too_few_and_too_many_faults_are_refused(faults: int) -> None:
    with pytest.raises(ValueError, match=f"^{faults} faults"):
        plan(7, 180.0, faults)
