"""The check before a bot may play: accepted, or rejected with codes and what to change."""

from __future__ import annotations

import json

import pytest

from referee import check as check_module
from referee.bundle import Bundle, Manifest, import_archive
from referee.check import check_bundle
from referee.contract import Verdict
from referee.execute import plain_driver
from referee.inprocess import InProcessDriver
from tests.referee.archives import FILES, zipped
from tests.referee.hostile_cases import CASES, bundle_of
from tests.referee.orders import Store
from tests.referee.speakers import Honest, Sometimes, crash, illegal_card


def in_process(speaker):
    return lambda *_: InProcessDriver(speaker)


def names(report):
    return [(step.name, step.ok) for step in report.steps]


@pytest.mark.sandbox
class TestInTheSandbox:
    def test_an_honest_bot_is_accepted(self):
        store = Store()
        report = check_bundle(bundle_of("honest"), "kakeya", "kakeya4", keep=store.keep)
        assert report.accepted
        assert report.reasons == ()
        assert names(report) == [
            (name, True) for name in ("bundle", "manifest", "game", "runtime", "start", "trial")
        ]
        assert report.report.seats[0].verdict is Verdict.OK
        assert len(report.runtime_digest) == 64
        assert report.report.record_sha256 in store.blobs

    @pytest.mark.parametrize("name", CASES)
    def test_a_hostile_bot_is_rejected_with_what_to_change(self, name):
        report = check_bundle(bundle_of(name), "kakeya", "kakeya4")
        assert not report.accepted
        assert report.platform_fault is None
        assert {reason.code for reason in report.reasons} <= CASES[name].reason_codes
        assert all(";" in reason.message or ":" in reason.message for reason in report.reasons)
        assert report.reasons
        assert report.steps[-1].ok is False

    def test_python_that_does_not_parse_is_shown_the_place(self):
        bundle = import_archive(zipped(FILES | {"main.py": b"def play(:\n"}), "bot.zip")
        (reason,) = check_bundle(bundle, "kakeya", "kakeya4").reasons
        assert reason.code == "syntax_error"
        assert "not valid Python" in reason.message


class TestInProcess:
    def test_the_same_bot_meets_the_same_trial_again(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        records = {
            check_bundle(
                bundle, "kakeya", "kakeya4", drivers_factory=in_process(Honest())
            ).report.record_sha256
            for _ in range(2)
        }
        assert len(records) == 1

    def test_one_fault_rejects(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        speaker = Sometimes(illegal_card, at={20, 21, 22})
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=in_process(speaker))
        (reason,) = report.reasons
        assert speaker.requests == 20
        assert reason.code == "illegal_action"
        assert report.report.seats[0].faults[0].request is not None
        assert names(report)[-2:] == [("start", True), ("trial", False)]

    def test_it_survives_json(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        report = check_bundle(
            bundle, "kakeya", "kakeya4", drivers_factory=in_process(Sometimes(crash, at={1}))
        )
        data = json.loads(json.dumps(report.to_json()))
        assert data["reasons"][0]["code"] == "crashed"
        assert data["report"]["seats"][0]["verdict"] == "CRASHED"
        assert data["steps"][0] == {"name": "bundle", "ok": True, "detail": data["steps"][0]["detail"]}

    def test_a_preset_that_is_not_there_is_no_fault_of_ours(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        for game, preset in (("whist", "kakeya4"), ("kakeya", "whist")):
            report = check_bundle(bundle, game, preset, drivers_factory=in_process(Honest()))
            assert [reason.code for reason in report.reasons] == ["unknown_game"]

    def test_a_start_that_hangs_is_tried_again_before_the_bot_is_blamed(self):
        calls = []

        def hangs_once(line):
            calls.append(line)
            return None if len(calls) == 1 else b'{"type":"ready"}'

        def hangs(line):
            return None

        bundle = import_archive(zipped(FILES), "bot.zip")
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=in_process(hangs))
        assert [reason.code for reason in report.reasons] == ["not_ready"]
        check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=in_process(hangs_once))
        assert len(calls) > 2

    def test_our_own_trouble_rejects_nobody(self):
        def breaks(*_):
            raise OSError("no more processes")

        bundle = import_archive(zipped(FILES), "bot.zip")
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=breaks)
        assert report.platform_fault == "OSError: no more processes"
        assert not report.accepted
        assert report.reasons == ()

    def test_bytes_that_are_no_bundle_are_rejected(self):
        bundle = Bundle(b"PK", "0" * 64, Manifest("n", "python/1", "main.py"), ("main.py",))
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=plain_driver)
        assert [reason.code for reason in report.reasons] == ["not_an_archive"]

    def test_every_verdict_has_a_code(self):
        assert set(check_module._CODES) == set(Verdict) - {Verdict.OK}
