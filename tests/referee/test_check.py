"""The check before a bot may play: accepted, or rejected with codes and what to change."""

from __future__ import annotations

import dataclasses
import json
import re
import sys

import pytest

from engine.games import game_named
from referee import check as check_module
from referee import rejections
from referee.bundle import Bundle, Manifest, import_archive
from referee.capability import RuntimeOffer
from referee.check import check_bundle, trial_table
from referee.contract import FaultCause, Limits, Verdict
from referee.execute import plain_driver
from referee.explanations import EXPLANATIONS, explained
from referee.inprocess import InProcessDriver
from tests.referee.archives import FILES, zipped
from tests.referee.hostile.corpus import REJECTED, bundle_of
from tests.referee.orders import Store
from tests.referee.speakers import Honest, Sometimes, crash, illegal_card

BUNDLE = import_archive(zipped(FILES), "bot.zip")


def in_process(speaker):
    return lambda *_: InProcessDriver(speaker)


def checked(speaker, **options):
    """The check of a small bundle that plays as the speaker does, in this process."""
    return check_bundle(BUNDLE, "kakeya", "kakeya4", drivers_factory=in_process(speaker), **options)


def tried(report):
    """What the trial says of the bot itself."""
    return report.report.seats[report.seat - 1]


def names(report):
    return [(step.name, step.ok) for step in report.steps]


@pytest.mark.full
class TestInTheSandbox:
    def test_an_honest_bot_is_accepted(self):
        store = Store()
        report = check_bundle(bundle_of("honest"), "kakeya", "kakeya4", keep=store.keep)
        assert report.accepted
        assert report.reasons == ()
        assert names(report) == [
            (name, True) for name in ("bundle", "manifest", "game", "runtime", "start", "trial")
        ]
        assert tried(report).verdict is Verdict.OK
        assert len(report.runtime_digest) == 64
        assert report.report.record_sha256 in store.blobs

    @pytest.mark.sampled(5)
    @pytest.mark.parametrize("name", REJECTED)
    def test_a_hostile_bot_is_rejected_with_what_to_change(self, name):
        report = check_bundle(bundle_of(name), "kakeya", "kakeya4")
        assert not report.accepted
        assert report.platform_fault is None
        assert {reason.code for reason in report.reasons} <= REJECTED[name]
        assert all(";" in reason.message or ":" in reason.message for reason in report.reasons)
        assert report.reasons
        assert report.steps[-1].ok is False

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("source", "code", "words"),
        [
            (b"def play(:\n", "syntax_error", "Python"),
            (b"def play():\nreturn 1\n", "syntax_error", "indented"),
            (b"x = " + b"(" * 100_000 + b"\n", "syntax_error", "parentheses"),
            (
                b"x = " + b"(" * 100_000 + b")" * 100_000 + b"\n",
                "syntax_error",
                "parentheses",
            ),
            (b"x = " + b"-" * 100_000 + b"1\n", None, ""),
            (b"x" + b".x" * 100_000 + b"\n", None, ""),
            (b"x = 1" + b" + 1" * 100_000 + b"\nraise SystemExit(3)\n", None, ""),
            (b"x = 9**9**9\n", None, ""),
            (b"\xff\xfe\n", "syntax_error", ""),
            (b"a\0b\n", None, ""),
        ],
        ids=["colon", "indent", "open", "brackets", "minus", "dots", "plus", "power", "latin", "nul"],
    )
    def test_a_source_that_breaks_a_parser_breaks_its_bot_alone(self, source, code, words):
        """The first to read it is the bot's own interpreter, in the sandbox: whatever comes is a verdict."""
        bundle = import_archive(zipped(FILES | {"main.py": source}), "bot.zip")
        report = check_bundle(bundle, "kakeya", "kakeya4")
        assert report.platform_fault is None
        assert tried(report).verdict is not Verdict.OK
        (reason,) = report.reasons
        assert code in (None, reason.code)
        assert words in reason.message

    def test_nothing_of_a_bot_is_read_by_our_own_interpreter(self, monkeypatch):
        """Whoever compiles, imports or evaluates in this process during a check is found out."""
        bundle = import_archive(zipped(FILES | {"main.py": b"raise SystemExit('here')\n"}), "bot.zip")
        check_bundle(bundle, "kakeya", "kakeya4")
        heard = []

        def hook(event, args):
            if heard is not None and event in {"compile", "exec", "import"}:
                heard.append((event, args))

        sys.addaudithook(hook)
        try:
            report = check_bundle(bundle, "kakeya", "kakeya4")
        finally:
            events, heard = heard, None
        assert "here" in tried(report).faults[0].log_tail
        assert [event for event in events if "SystemExit" in repr(event) or "/bundles/" in repr(event)] == []
        assert {event for event, _ in events} <= {"import"}


class TestInProcess:
    def test_one_fault_rejects(self):
        speaker = Sometimes(illegal_card, at={20, 21, 22})
        report = checked(speaker)
        (reason,) = report.reasons
        assert speaker.requests == 20
        assert reason.code == "illegal_action"
        assert tried(report).faults[0].request is not None
        assert names(report)[-2:] == [("start", True), ("trial", False)]

    def test_it_survives_json(self):
        report = checked(Sometimes(crash, at={1}))
        data = json.loads(json.dumps(report.to_json()))
        assert data["reasons"][0]["code"] == "crashed"
        assert data["report"]["seats"][data["seat"] - 1]["verdict"] == "CRASHED"
        assert data["steps"][0] == {"name": "bundle", "ok": True, "detail": data["steps"][0]["detail"]}

    def test_the_limits_are_those_asked_for(self):
        asked = []

        def factory(order, seat, folder, cpu_limit_s):
            asked.append(order)
            return InProcessDriver(Honest())

        limits = Limits(memory_bytes=77 << 20)
        game = game_named("kakeya")
        check_bundle(BUNDLE, "kakeya", "kakeya4", seed="repeat", drivers_factory=factory, limits=limits)
        assert asked == [trial_table(BUNDLE, game, game.ruleset("kakeya4"), limits, "repeat").order]
        assert asked[0].limits.memory_bytes == 77 << 20

    @pytest.mark.parametrize(
        ("log", "code"),
        [
            ("  File \"/bot/main.py\", line 1\n    x = (\nSyntaxError: '(' was never closed", "syntax_error"),
            (
                "/bot/main.js:2\nfunction {\n\nSyntaxError: Unexpected token '{'\n    at wrapSafe",
                "syntax_error",
            ),
            ("Error: Cannot find module 'left-pad'\nRequire stack:", "missing_module"),
            ("ModuleNotFoundError: No module named 'pandas'", "missing_module"),
            (
                "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
                "over_memory",
            ),
            ("fatal error: failed to reserve page summary memory\n\nruntime stack:", "over_memory"),
            ("MemoryError", "over_memory"),
            ("OSError: [Errno 30] Read-only file system: '/bot/x'", "not_permitted"),
            ("Error: EROFS: read-only file system, open '/bot/x'\n    at openSync", "not_permitted"),
            ("OSError: [Errno 27] File too large", "not_permitted"),
            ("Error: ENOSPC: no space left on device, write", "not_permitted"),
            ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "not_permitted"),
            ("Error: getaddrinfo EAI_AGAIN example.com", "not_permitted"),
            ("Error: connect EPERM 192.0.2.1:80 - Local (undefined:undefined)", "not_permitted"),
            ("could not save: OSError: Read-only file system\nKeyError: 'QH'", "crashed"),
            ("Segmentation fault", "crashed"),
        ],
    )
    def test_the_log_of_a_crash_says_what_to_change(self, log, code):
        report = checked(Sometimes(crash, at={1}))
        fault = dataclasses.replace(tried(report).faults[0], log_tail=log)
        assert rejections.reason_for(fault).code == code

    @pytest.mark.parametrize(
        ("opened", "entry_point", "expression"),
        [
            ("weights.npz", "main.py", 'Path(__file__).parent / "weights.npz"'),
            ("./data/book.txt", "main.py", 'Path(__file__).parent / "data/book.txt"'),
            ("book.txt", "data/main.py", 'Path(__file__).parent / "book.txt"'),
            ("weights.npz", "data/main.py", 'Path(__file__).parent / "../weights.npz"'),
            ("weights.npz", "main.js", 'path.join(__dirname, "weights.npz")'),
            ("other.npz", "main.py", None),
            ("/bot/weights.npz", "main.py", None),
        ],
    )
    def test_a_file_of_the_bot_opened_by_a_relative_name_names_its_full_path(
        self, opened, entry_point, expression
    ):
        bot = rejections.FaultyBot(("weights.npz", "data/book.txt", "main.py"), entry_point)
        fault = tried(checked(Sometimes(crash, at={1}))).faults[0]
        for log in (
            f"FileNotFoundError: [Errno 2] No such file or directory: '{opened}'",
            f"Error: ENOENT: no such file or directory, open '{opened}'\n    at openSync",
        ):
            reason = rejections.reason_for(dataclasses.replace(fault, log_tail=log), bot)
            assert (reason.code == "relative_file") == (expression is not None)
            assert dict(reason.values) == ({"path": opened, "expression": expression} if expression else {})

    @pytest.mark.parametrize(
        ("log", "versions", "language"),
        [
            ('  File "/bot/a.py", line 1\nSyntaxError: no', {"python": "3.11.2"}, "Python 3.11"),
            ('  File "/bot/a.py", line 1\nSyntaxError: no', {}, "Python"),
            ("/bot/a.js:2\nSyntaxError: no", {"node": "18.2.0"}, "JavaScript for node 18.2.0"),
        ],
    )
    def test_a_syntax_error_names_the_version_of_the_language(self, log, versions, language):
        fault = dataclasses.replace(tried(checked(Sometimes(crash, at={1}))).faults[0], log_tail=log)
        reason = rejections.reason_for(fault, rejections.FaultyBot(versions=versions))
        assert dict(reason.values) == {"language": language, "error": "no"}

    def test_every_explanation_has_its_values(self):
        for key, explanation in EXPLANATIONS.items():
            names = re.findall(r"%\((\w+)\)s", explanation.text)
            assert explained(key, dict.fromkeys(names, "x")).count("x") >= len(names)

    def test_printed_text_is_distinct_from_a_broken_answer(self):
        for answer, explanation in ((b"thinking", "printed"), (b'{"id": ', "")):
            report = checked(Sometimes(lambda request, honest, text=answer: text, at={1}))
            assert [(each.code, each.explanation) for each in report.reasons] == [("bad_answer", explanation)]

    def test_the_failed_step_says_the_same_as_the_reason(self):
        bundle = import_archive(zipped(FILES | {"main.py": b"import nothing_of_this_name"}), "bot.zip")
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=plain_driver)
        assert report.steps[-1] == ("start", False, report.reasons[0].message)
        assert "'nothing_of_this_name'" in report.steps[-1].detail

    @pytest.mark.parametrize("words", ["No module named '", "SyntaxError: ", "Cannot find module '"])
    def test_what_a_log_says_at_length_is_told_in_500_characters(self, words):
        report = checked(Sometimes(crash, at={1}))
        fault = tried(report).faults[0]
        log = {"No": "ModuleNotFoundError: ", "Ca": "Error: ", "Sy": ""}[words[:2]] + words + "x" * 1900 + "'"
        for reported in (
            dataclasses.replace(fault, log_tail=log),
            dataclasses.replace(fault, reason="y" * 5000),
        ):
            assert len(rejections.reason_for(reported).message) <= 500

    @pytest.mark.parametrize(
        ("source", "code", "explanation"),
        [
            ("class Mine: pass", "crashed_at_start", "not_run"),
            ("import sys; sys.exit(2)", "crashed_at_start", ""),
            ("print('loading')\nimport time; time.sleep(2)", "bad_ready", "printed"),
            ("open('weights.txt')", "relative_file", "relative_file"),
            ("import torch_of_this_name", "missing_module", "missing_module"),
        ],
    )
    def test_first_errors_have_an_explanation(self, source, code, explanation):
        files = FILES | {"main.py": source.encode(), "weights.txt": b"1"}
        bundle = import_archive(zipped(files), "bot.zip")
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=plain_driver)
        assert [(each.code, each.explanation) for each in report.reasons] == [(code, explanation)]
        stored = report.to_json()["reasons"][0]
        assert stored.get("explanation", "") == explanation
        assert set(report.bot.versions) == {"python", "numpy"}

    def test_an_answer_of_thousands_of_letters_is_quoted_short(self):
        def long_card(request, honest):
            return json.dumps({"id": request["id"], "action": "\x01" * 600}).encode()

        report = checked(Sometimes(long_card, at={1}))
        (fault,) = tried(report).faults
        assert "..." in fault.reason
        assert max(len(fault.reason), *(len(reason.message) for reason in report.reasons)) <= 500
        assert all(len(step.detail) <= 500 for step in report.steps)

    def test_a_runtime_no_machine_like_this_has_is_no_fault_of_the_bot(self, monkeypatch):
        refused = RuntimeOffer("python/1", "", "too small", "Get another.")
        monkeypatch.setattr(check_module, "offer_named", lambda name, artifact: refused)
        report = checked(Honest())
        assert report.reasons == ()
        assert report.platform_fault == "too small. Get another."
        assert report.platform_cause is FaultCause.RUNTIME
        assert report.to_json()["platform_cause"] == "runtime"
        assert names(report)[-1] == ("runtime", False)

    def test_a_preset_that_is_not_there_is_no_fault_of_ours(self):
        for game, preset in (("whist", "kakeya4"), ("kakeya", "whist")):
            report = check_bundle(BUNDLE, game, preset, drivers_factory=in_process(Honest()))
            assert [reason.code for reason in report.reasons] == ["unknown_game"]

    def test_a_start_that_hangs_is_the_bots(self):
        calls = []

        def hangs(line):
            calls.append(line)

        report = checked(hangs)
        assert [reason.code for reason in report.reasons] == ["not_ready"]
        assert len(calls) == 1, "hello, and no second attempt"

    def test_our_own_trouble_rejects_nobody(self):
        def breaks(*_):
            raise OSError("no more processes")

        report = check_bundle(BUNDLE, "kakeya", "kakeya4", drivers_factory=breaks)
        assert report.platform_fault.startswith("OSError: ")
        assert not report.accepted
        assert report.reasons == ()

    def test_bytes_that_are_no_bundle_are_rejected(self):
        bundle = Bundle(b"PK", "0" * 64, Manifest("n", "python/1", "main.py"), ("main.py",))
        report = check_bundle(bundle, "kakeya", "kakeya4", drivers_factory=plain_driver)
        assert [reason.code for reason in report.reasons] == ["not_canonical"]

    def test_every_verdict_has_a_code(self):
        assert set(rejections.CODES) == set(Verdict) - {Verdict.OK, Verdict.DISCONNECTED}


def heard(seed="", preset="kakeya4"):
    """What a bot is sent in a check, and the report."""
    bot = Honest()
    report = check_bundle(BUNDLE, "kakeya", preset, seed=seed, drivers_factory=in_process(bot))
    return bot.heard, report


class TestTheTrial:
    def test_it_differs_each_time(self):
        checks = [heard() for _ in range(12)]
        deals = {
            json.dumps(message["observation"]["hand"])
            for messages, _ in checks
            for message in messages
            if message["type"] == "request" and len(message["observation"]["hand"]) == 13
        }
        assert len({report.seed for _, report in checks}) == 12
        assert len({messages[0]["rng"] for messages, _ in checks}) == 12
        assert {report.seat for _, report in checks} == {1, 2, 3, 4}
        assert {len(report.report.results) for _, report in checks} == {2 * 4, 3 * 4}, "two or three boards"
        assert len({report.report.results[0].board for _, report in checks}) > 6
        assert len(deals) >= 24, "no deal occurs twice"

    def test_the_steps_before_it_are_told_once(self):
        told = []
        unreadable = Bundle(b"", "", Manifest("x", "python/1", "main.py"), ())
        report = check_bundle(unreadable, "kakeya", "kakeya4", on_steps=told.append)
        assert (report.accepted, told) == (False, []), "nothing to wait for"
        report = check_bundle(
            BUNDLE,
            "kakeya",
            "kakeya4",
            drivers_factory=plain_driver,
            on_steps=lambda steps: told.append([step.name for step in steps]),
        )
        assert told == [["bundle", "manifest", "game", "runtime"]]
        assert [step.name for step in report.steps][:4] == told[0]

    def test_its_seed_repeats_it(self):
        def told(messages):
            """All but what the clocks say, which differs by what the machine did."""
            return [
                {**each, "clock": {**each["clock"], "bank_ms": None}} if each["type"] == "request" else each
                for each in messages
            ]

        messages, report = heard()
        again, repeated = heard(report.seed)
        assert (repeated.seed, repeated.seat) == (report.seed, report.seat)
        assert told(again) == told(messages)
        assert repeated.report.record_sha256 == report.report.record_sha256

    def test_nothing_a_bot_is_sent_tells_it_from_a_table_of_an_event(self):
        messages, report = heard()
        text = json.dumps(messages)
        assert set(messages[0]) == {
            *("type", "protocol", "game", "preset", "ruleset", "seat", "seats", "partner", "clock", "rng")
        }
        for word in (report.seed, report.report.table, "check", "trial"):
            assert word not in text

    def test_the_others_do_not_always_play_the_first_legal_action(self):
        request = {"type": "request", "legal": ["AH", "2C", "3C"]}
        chosen = {
            json.loads(check_module._play_any_legal(json.dumps({**request, "id": f"r{n}"}).encode()))[
                "action"
            ]
            for n in range(40)
        }
        assert chosen == {"AH", "2C", "3C"}
