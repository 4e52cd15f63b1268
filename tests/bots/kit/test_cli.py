"""The author's command, called as a function."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bots.house import house_folders
from bots.kit.cli import COMMANDS, OUTPUT_FAILED, parser_for
from bots.kit.local.new import template_folder
from referee.table import engine_version
from tests.bots.kit.conftest import GOOD, LACKS_MODULE


def test_check_tells_whether_a_bot_may_play(rensho, bot):
    assert rensho.prints("check", bot(GOOD), "--no-sandbox")
    report = rensho.json("check", bot(GOOD), "--no-sandbox")
    assert report["accepted"] is True
    assert all(step["ok"] for step in report["steps"])


def test_check_rejects_with_the_exact_request(rensho, bot):
    out = rensho.prints("check", bot(GOOD.replace("request.legal[0]", "'QQ'")), "--no-sandbox", status=1)
    assert "(illegal_action)" in out
    request = next(line for line in out.splitlines() if line.startswith("  request: "))
    assert json.loads(request.removeprefix("  request: "))["type"] == "request"


def test_check_shows_the_log_of_a_crash(rensho, bot):
    out = rensho.prints("check", bot(LACKS_MODULE), "--no-sandbox", status=1)
    for text in ("(missing_module)", "request: (hello)", "ModuleNotFoundError"):
        assert text in out


def test_a_trial_is_drawn_each_time_and_repeated_by_its_seed(rensho):
    path = house_folders()["kakeya_greedy"]

    def trial(*options):
        report = rensho.json("check", path, "--no-sandbox", *options)
        return report["seed"], report["seat"], [row["stones"] for row in report["report"]["results"]]

    first, second = trial(), trial()
    assert first[0] != second[0]
    assert trial("--seed", first[0]) == first
    assert "--seed mine\n" in rensho.prints("check", path, "--no-sandbox", "--seed", "mine")


def test_check_rejects_a_folder_that_is_no_bundle(rensho, tmp_path):
    assert "rensho.toml" in rensho.prints("check", tmp_path, status=1)


FOLDERS = [
    *house_folders().items(),
    *((game, template_folder(game)) for game in ("kakeya", "kakkuri", "generic")),
]


@pytest.mark.full
@pytest.mark.parametrize(("name", "folder"), FOLDERS)
def test_check_accepts_house_bots_and_templates_in_the_sandbox(rensho, name, folder):
    preset = "kakkuri" if name.startswith("kakkuri") else "kakeya6"
    rensho.prints("check", folder, "--preset", preset)


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
def test_verify_refuses_an_archive_that_cannot_be_unpacked(rensho, tmp_path, spoil):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tournament.json", "{}" + " " * 1000)
    path.write_bytes(spoil(path.read_bytes()))
    rensho.refuses("verify", path, names=str(path))


def test_the_version_is_told_and_a_command_is_needed(rensho):
    assert rensho.prints("--version") == f"rensho {engine_version()}\n"
    rensho.refuses(names="COMMAND")


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
        command = [Path(sys.executable).with_name("rensho"), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    return call


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_starts_as_installed_and_explains_itself(installed, name):
    done = installed(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: rensho {name} ")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "status"), [("--help", 0), ("new mine --json", 0), ("check /no/such/place", 2)]
)
def test_the_installed_command_does_what_it_says(installed, words, status):
    done = installed(*words.split())
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
        assert done.stderr.count(b"\n") == 1

    def test_a_full_device_for_a_table_of_rich(self):
        code = (
            "import sys; from bots.kit.display.console import console_for, print_lines\n"
            "from bots.kit import cli\n"
            "cli._run_command = lambda argv: [console_for().print('x' * 100_000), 0][1]\n"
            "sys.exit(cli.main([]))"
        )
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr.count(b"\n")) == (OUTPUT_FAILED, 1)

    def test_both_outputs_on_a_full_device(self):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([*KIT, "--help"], stdout=full, stderr=full)
        assert done.returncode == OUTPUT_FAILED

    def test_outputs_that_are_closed(self):
        done = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *KIT, "--help"])
        assert done.returncode == 0
