"""The wheel, built from the source archive, in an empty environment: a new user's first commands."""

import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

import pytest

from engine import all_games
from league.sequential import MIN_BOARDS
from referee.sandbox import probe, stage_root
from tests.bots.kit.conftest import ILLEGAL_ONCE
from tests.bots.kit.installed import KERNEL_BUILD, ROOT, install, needed_by, package_files, run

pytestmark = [pytest.mark.full, pytest.mark.timeout(900), pytest.mark.xdist_group("wheel")]
PRESETS = {"kakeya4": 2, "kakeya6": 3, "kakkuri": 7}
"""With the number of sides."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def new_stage():
    """A staging area nobody has used, as on a newcomer's machine."""
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=stage_root()))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def rensho(installed, tmp_path, new_stage):
    def call(*words):
        command = [str(installed.command), *map(str, words)]
        return run(command, cwd=tmp_path, RENSHO_STAGE=str(new_stage), COLUMNS="100").stdout

    return call


def test_the_source_archive_has_all_that_a_build_needs(installed):
    sources = installed.sources
    assert package_files(sources) == package_files(ROOT)
    for wanted in (
        *(
            "pyproject.toml",
            "README.md",
            "LICENSE",
            "CHANGELOG.md",
            "Makefile",
            "deploy/README.md",
            "manage.py",
        ),
        *(
            "deploy/wheel.py",
            "deploy/build_kernel.py",
            "docs/kit.md",
            "examples/c/bot.c",
            "requirements/dev.lock",
        ),
    ):
        assert (sources / wanted).read_bytes() == (ROOT / wanted).read_bytes()
    assert not any((sources / name).exists() for name in (".venv", ".tools", ".git", "var/arena.sqlite3"))


def test_the_wheel_has_every_file_of_the_packages(installed):
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    assert {name.removeprefix("platform/") for name in package_files(ROOT)} <= names


def test_the_build_took_the_compiled_kernel(installed):
    """Modules of other sources would have been compiled again, with new times."""
    built = sorted((installed.sources / KERNEL_BUILD).glob("*.so"))
    assert built
    for module in built:
        assert module.stat().st_mtime_ns == (ROOT / KERNEL_BUILD / module.name).stat().st_mtime_ns


def test_the_wheel_holds_the_kit_the_referee_and_every_game(installed):
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    for wanted in (
        "referee/runtimes/recipes/python1/launcher.py",
        "league/sequential.py",
        "bots/kit/start.py",
        "bots/kit/client/shapes.py",
        "bots/template/README.md",
        "bots/template/kakeya/main.py",
        "bots/template/generic/rensho.toml",
        "bots/house/kakkuri_greedy/main.py",
        "arena/web/locale/ja/LC_MESSAGES/django.mo",
        *(f"engine/games/{game}/__init__.py" for game in all_games()),
    ):
        assert wanted in names
    assert not any(name.startswith(("platform/", "tests/", "benchmarks/")) for name in names)


def test_the_kernel_is_compiled_in_it(installed, tmp_path):
    assert re.search(r"-cp3\d+-cp3\d+-linux_\w+\.whl$", installed.wheel.name)
    program = (
        "from engine import kernel as k; from referee.runtimes import kernel, recipe_named\n"
        "folder = kernel.kernel_folder(); kernel.require_current(folder)\n"
        "print(k.is_compiled, len(kernel.compiled_modules(folder)), repr(recipe_named('python/2').note()))"
    )
    typed = len(list((ROOT / "engine" / "kernel").glob("*.pxd")))
    said = run([str(installed.python), "-c", program], cwd=tmp_path).stdout
    assert said == f"True {typed} ''\n"


def test_it_needs_no_django(installed, tmp_path):
    program = (
        "import importlib.util as u; print([n for n in ('django', 'celery', 'redis') if u.find_spec(n)])"
    )
    assert run([str(installed.python), "-c", program], cwd=tmp_path).stdout.strip() == "[]"
    assert run([str(installed.command), "--help"], cwd=tmp_path).stdout.startswith("usage: rensho")


def test_matches_are_played_from_python(installed, tmp_path):
    program = (
        "from bots.play import play\n"
        "match = play(lambda r: r.legal[0], lambda r: r.legal[-1], boards=1, names=['a', 'b'])\n"
        "print(match.boards, '<iframe' in match._repr_html_())"
    )
    assert run([str(installed.python), "-c", program], cwd=tmp_path).stdout == "1 True\n"


def test_the_doctor_finds_what_the_wheel_needs(rensho):
    report = json.loads(rensho("doctor", "--json"))
    states = {finding["part"]: finding["state"] for finding in report["findings"]}
    assert report["can_sandbox"]
    assert states["python/1"] == states["staging"] == states["sandbox"] == "ok"


@pytest.mark.sampled(12)
@pytest.mark.parametrize("walls", [[], ["--no-sandbox"]])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_newcomer_plays(rensho, tmp_path, preset, walls):
    folder = tmp_path
    rensho("new", "mine", "--preset", preset)
    assert (folder / "mine" / "README.md").is_file()
    rensho("check", "mine", "--preset", preset, *walls)

    others = ["house:greedy"] * (PRESETS[preset] - 1)
    text = rensho("play", "mine", *others, "--preset", preset, "--boards", 1, "--record", "records", *walls)
    assert f"{preset}, 1 deal board" in text
    records = sorted((folder / "records").glob("*rotation-?.ndjson.gz"))
    assert len(records) == PRESETS[preset] * len({path.name.partition(".")[0] for path in records})
    assert rensho("replay", records[0]).startswith(preset)

    (folder / "faulty.py").write_text(ILLEGAL_ONCE)
    # It errs when asked for the fifth time: in Kakkuri after a deal or two.
    words = ("faulty.py", *others, "--preset", preset, "--boards", 5, "--record", "faults", *walls)
    assert "rensho reproduce faults/" in rensho("play", *words)
    file = sorted((folder / "faults").glob("*.fault-1.json"))[0]
    assert json.loads(rensho("reproduce", file, "mine", *walls, "--json"))["now"]["verdict"] == "OK"

    words = ("house:rules", "house:random", "--preset", preset, "--cap", MIN_BOARDS, "--difference", 2)
    found = json.loads(rensho("compare", *words, *walls, "--json"))
    assert found["comparison"]["verdict"] != "running"
    assert found["sandbox_level"] == ("NONE" if walls else probe().level.name)


def test_what_is_needed_is_told_by_the_metadata():
    from importlib.metadata import distribution

    needed = needed_by(distribution("rensho"))
    assert {"numpy", "cryptography", "httpx", "networkx", "rich", "anyio"} <= needed
    assert not needed & {"django", "celery", "pytest"}
