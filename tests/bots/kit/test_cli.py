"""The author's command, called as a function."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bots.house import house_folders
from bots.kit.cli import COMMANDS, OUTPUT_FAILED, READER_GONE, main, parser_for
from bots.kit.local.new import template_folder
from referee.table import engine_version

GOOD = """\
from bots.sdk import Bot

class Good(Bot):
    def act(self, request):
        return request.legal[0]

Good().run()
"""


def run(capsys, *argv):
    status = main([str(argument) for argument in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_check_accepts_an_honest_file(capsys, tmp_path):
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    status, out, err = run(capsys, "check", path, "--no-sandbox")
    assert (status, err) == (0, "")
    assert out.endswith("The bot may play.\n")


def test_check_rejects_with_the_exact_request_and_what_to_change(capsys, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(GOOD.replace("request.legal[0]", "'QQ'"))
    status, out, _ = run(capsys, "check", path, "--no-sandbox")
    assert status == 1
    assert "rejected (illegal_action): not an action of kakeya: 'QQ'" in out
    request = next(line for line in out.splitlines() if line.startswith("  request: "))
    assert json.loads(request.removeprefix("  request: "))["type"] == "request"
    assert "may play" not in out


def test_check_shows_the_log_of_a_crash(capsys, tmp_path):
    path = tmp_path / "crash.py"
    path.write_text("import nothing_of_this_name\n")
    status, out, _ = run(capsys, "check", path, "--no-sandbox")
    assert status == 1
    assert "rejected (missing_module)" in out
    assert "  request: (hello)" in out
    assert "log:     ModuleNotFoundError" in out


def test_a_trial_is_drawn_each_time_and_repeated_by_its_seed(capsys):
    path = house_folders()["kakeya_greedy"]

    def trial(*options):
        status, out, _ = run(capsys, "check", path, "--no-sandbox", "--json", *options)
        assert status == 0
        report = json.loads(out)
        return report["seed"], report["seat"], [row["stones"] for row in report["report"]["results"]]

    first, second = trial(), trial()
    assert first[0] != second[0]
    assert trial("--seed", first[0]) == first
    status, out, _ = run(capsys, "check", path, "--no-sandbox", "--seed", "mine")
    assert (status, "The same trial again: --seed mine\n" in out) == (0, True)


def test_check_tells_everything_as_json(capsys, tmp_path):
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    status, out, _ = run(capsys, "check", path, "--no-sandbox", "--json")
    assert status == 0
    report = json.loads(out)
    assert report["accepted"] is True
    assert [step["ok"] for step in report["steps"]] == [True] * len(report["steps"])


def test_check_rejects_a_folder_that_is_no_bundle(capsys, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing here")
    status, out, _ = run(capsys, "check", tmp_path)
    assert status == 1
    assert "rensho.toml is missing" in out


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [(["/no/such/place"], "No such file"), ([".", "--preset", "chess"], "unknown preset 'chess'")],
)
def test_check_names_input_it_cannot_use(capsys, argv, complaint):
    status, out, err = run(capsys, "check", *argv)
    assert (status, out) == (2, "")
    assert err.startswith("rensho: ")
    assert complaint in err


@pytest.mark.full
@pytest.mark.parametrize("name", house_folders())
def test_check_accepts_house_bots_in_the_sandbox(capsys, name):
    preset = "kakkuri" if name.startswith("kakkuri") else "kakeya6"
    status, out, _ = run(capsys, "check", house_folders()[name], "--preset", preset)
    assert status == 0, out


@pytest.mark.full
@pytest.mark.parametrize("game", ["kakeya", "kakkuri", "generic"])
def test_check_accepts_the_templates_in_the_sandbox(capsys, game):
    preset = "kakkuri" if game == "kakkuri" else "kakeya4"
    status, out, _ = run(capsys, "check", template_folder(game), "--preset", preset)
    assert status == 0, out


def damaged(archive):
    data = bytearray(archive)
    at = data.index(b"tournament.json") + len("tournament.json")
    data[at : at + 20] = b"\xff" * 20
    return bytes(data)


def encrypted(archive):
    data = bytearray(archive)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    return bytes(data)


@pytest.mark.parametrize("spoil", [damaged, encrypted])
def test_verify_refuses_an_archive_that_cannot_be_unpacked(capsys, tmp_path, spoil):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tournament.json", "{}" + " " * 1000)
    path.write_bytes(spoil(path.read_bytes()))
    status, out, err = run(capsys, "verify", path)
    assert (status, out) == (2, "")
    assert str(path) in err


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"rensho {engine_version()}\n"


def test_no_command_is_refused_with_the_commands_there_are(capsys):
    with pytest.raises(SystemExit) as refusal:
        main([])
    assert refusal.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def choices(*words):
    """The commands that the parser for these words knows."""
    (commands,) = parser_for(words)._subparsers._group_actions
    return list(commands.choices)


def test_a_command_is_added_by_its_own_module_alone():
    assert choices() == list(COMMANDS)
    for name, path in COMMANDS.items():
        assert choices("--debug", name, "--help") == [other for other in COMMANDS if COMMANDS[other] == path]


@pytest.fixture
def installed(tmp_path):
    """Runs the installed command in a process of its own."""

    def call(*words):
        return subprocess.run(
            [Path(sys.executable).with_name("rensho"), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_starts_as_installed_and_explains_itself(installed, name):
    done = installed(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: rensho {name} ")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--help"], 0),
        (["new", "mine", "--json"], 0),
        (["check", "/no/such/place"], 2),
        (["verify", "/no/such/export.zip"], 2),
        (["tournaments", "new", "--name", "Cup", "--preset", "kakeya4", "--round-robin", "--print"], 0),
        (["logout"], 0),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_the_installed_command_does_what_it_says(installed, monkeypatch, tmp_path, words, status):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    done = installed(*words)
    assert done.returncode == status, done.stderr
    assert bool(done.stdout) == (status == 0)
    assert done.stderr.count("\n") == (status != 0)


KIT = [sys.executable, "-m", "bots.kit.cli"]


class TestOutputThatFails:
    @pytest.mark.parametrize("words", [["--help"], ["doctor", "--json"], ["replay", "--help"], ["logout"]])
    def test_a_full_device(self, words, tmp_path):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [*KIT, *words],
                stdout=full,
                stderr=subprocess.PIPE,
                env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
            )
        assert done.returncode == OUTPUT_FAILED
        assert done.stderr == b"rensho: standard output cannot be written: No space left on device\n"

    def test_a_full_device_for_a_table_of_rich(self):
        code = (
            "import sys; from bots.kit.display.console import console_for, say\n"
            "from bots.kit import cli\n"
            "cli._run = lambda words: [console_for().print('x' * 100_000), 0][1]\n"
            "sys.exit(cli.main([]))"
        )
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr.count(b"\n")) == (OUTPUT_FAILED, 1)

    def test_both_outputs_on_a_full_device(self):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([*KIT, "--help"], stdout=full, stderr=full)
        assert done.returncode == OUTPUT_FAILED

    def test_a_reader_that_has_gone(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([*KIT, "--help"], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        assert (done.returncode, done.stderr) == (READER_GONE, b"")

    def test_outputs_that_are_closed(self):
        done = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *KIT, "--help"])
        assert done.returncode == 0
