"""The units run programs and queues that exist, stop gently and leave the sandbox what it needs."""

import importlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery.bin.beat import beat
from celery.bin.worker import worker
from django.conf import settings
from django.core.management import get_commands, load_command_class

from arena.server.draining import GRACE_S
from arena.server.processes import KILL_S

ROOT = Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [path for path in UNITS if path.suffix == ".service"]
WORKER = ROOT / "deploy" / "systemd" / "rensho-worker@.service"
HOME = "/opt/rensho/current"

Unit = dict[str, dict[str, list[str]]]
"""Values by section and key; a key may come more than once."""


def parse(path: Path) -> Unit:
    """A unit file; refuses what is neither section, setting nor comment."""
    unit: Unit = {}
    section = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if header := re.fullmatch(r"\[(\w+)\]", line):
            section = header[1]
            assert section not in unit, f"{path.name}:{number}: {section} twice"
            unit[section] = {}
        else:
            setting = re.fullmatch(r"([A-Z]\w+)=(.*)", line)
            assert setting, f"{path.name}:{number}: {line}"
            assert section, f"{path.name}:{number}: before any section"
            unit[section].setdefault(setting[1], []).append(setting[2])
    return unit


def commands(path: Path) -> Iterator[list[str]]:
    """The argument lists a service runs, specifiers undone."""
    service = parse(path)["Service"]
    for key in ("ExecStartPre", "ExecStart"):
        for line in service.get(key, []):
            yield [word.replace("%%", "%") for word in shlex.split(line)]


def has_timer(path: Path) -> bool:
    """Whether a timer starts this service, so that it is not enabled itself."""
    return path.suffix == ".service" and path.with_suffix(".timer").is_file()


def attribute(target: str) -> object:
    """What ``module:name`` stands for."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def options(command: object) -> set[str]:
    """The options a click command knows."""
    return {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}


def given(arguments: list[str]) -> set[str]:
    return {argument.partition("=")[0] for argument in arguments if argument.startswith("-")}


def queues() -> dict[str, str]:
    """Which unit consumes each queue."""
    found = {}
    for path in SERVICES:
        for argv in commands(path):
            if "-Q" in argv:
                found |= dict.fromkeys(argv[argv.index("-Q") + 1].split(","), path.name)
    return found


@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_every_unit_says_what_it_is_and_can_be_enabled(path):
    unit = parse(path)
    assert unit["Unit"]["Description"][0].startswith("Rensho: ")
    assert has_timer(path) or unit["Install"]["WantedBy"]
    assert path.suffix in (".target", ".timer", ".socket") or unit["Service"]["ExecStart"]


@pytest.mark.parametrize("path", SERVICES, ids=lambda p: p.name)
def test_every_command_exists(path):
    for program, *arguments in commands(path):
        assert program.startswith(f"{HOME}/.venv/bin/"), program
        name = Path(program).name
        if name == "python":
            assert arguments[0] == "manage.py"
            assert (ROOT / "manage.py").is_file()
            assert arguments[1] in get_commands()
            parser = load_command_class(get_commands()[arguments[1]], arguments[1]).create_parser(
                "", arguments[1]
            )
            assert given(arguments) <= set(parser._option_string_actions)
        else:
            assert (name, arguments[:3]) == ("celery", ["-A", "arena", "--quiet"])
            known = {"worker": worker, "beat": beat}[arguments[3]]
            assert attribute("arena.celery:app").main == "arena"
            assert given(arguments[4:]) <= options(known)


@pytest.mark.parametrize("path", SERVICES, ids=lambda p: p.name)
def test_services_run_as_their_own_user_from_the_clone(path):
    service = parse(path)["Service"]
    assert service["User"] == ["rensho"]
    assert service["WorkingDirectory"] == [HOME]
    environment = dict(pair.split("=", 1) for pair in service["Environment"][0].split())
    assert environment["PYTHONPATH"] == f"{HOME}:{HOME}/platform"
    importlib.import_module(environment["DJANGO_SETTINGS_MODULE"])


def test_the_socket_keeps_the_address_while_the_site_restarts():
    web = parse(ROOT / "deploy" / "systemd" / "rensho-web.service")
    listening = parse(ROOT / "deploy" / "systemd" / "rensho-web.socket")
    assert web["Unit"]["Requires"] == ["rensho-web.socket"]
    assert web["Service"]["Type"] == ["notify"]
    assert int(web["Service"]["TimeoutStopSec"][0]) > GRACE_S + KILL_S
    (start,) = (
        argv for argv in commands(ROOT / "deploy" / "systemd" / "rensho-web.service") if "serve" in argv
    )
    host, port = start[start.index("--host") + 1], start[start.index("--port") + 1]
    assert listening["Socket"]["ListenStream"] == [f"{host}:{port}"], "the same without the socket"


def test_every_queue_is_consumed_and_none_that_nobody_fills():
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert set(queues()) == routed | {settings.CELERY_TASK_DEFAULT_QUEUE}


def test_bots_run_only_where_the_sandbox_can_be_built():
    assert {queues()["tables"], queues()["checks"]} == {WORKER.name}
    service = parse(WORKER)["Service"]
    harmful = "RestrictNamespaces PrivateUsers ProtectKernelTunables ProcSubset MemoryDenyWriteExecute"
    assert {*harmful.split(), "SystemCallFilter"} & set(service) == set()
    assert service["Delegate"] == ["yes"]
    assert service["OOMPolicy"] == ["continue"]


def test_a_stopping_worker_may_finish_what_it_plays():
    service = parse(WORKER)["Service"]
    assert service["KillMode"] == ["mixed"]
    assert service["KillSignal"] == ["SIGTERM"]
    assert int(service["TimeoutStopSec"][0]) > settings.CELERY_TASK_TIME_LIMIT


def wanted_by(target: str) -> set[str]:
    """Every unit that a target starts, itself or through another target; templates without their instance."""
    found = set()
    for name in parse(ROOT / "deploy" / "systemd" / target)["Unit"]["Wants"][0].split():
        found.add(re.sub(r"@\w+", "@", name))
        found |= wanted_by(name) if name.endswith(".target") else set()
        found |= {name.replace(".timer", ".service")} if name.endswith(".timer") else set()
    return found


def test_the_target_wants_every_service():
    names = {path.name for path in UNITS}
    assert wanted_by("rensho.target") == names - {"rensho.target"}


def test_a_machine_that_only_plays_starts_its_workers_and_nothing_else():
    """Beat is there once in an installation; such a machine must come back after a reboot without it."""
    assert wanted_by("rensho-worker.target") == {WORKER.name}
    target = parse(ROOT / "deploy" / "systemd" / "rensho-worker.target")
    assert target["Install"]["WantedBy"] == ["multi-user.target"]
    assert parse(WORKER)["Install"]["WantedBy"] == ["rensho-worker.target"]


@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_stopping_the_target_stops_everything(path):
    above = path.name
    while above != "rensho.target":
        (above,) = parse(ROOT / "deploy" / "systemd" / above)["Unit"]["PartOf"]


def test_what_may_not_write_everywhere_may_write_to_the_data_folder_of_the_example():
    example = (ROOT / "deploy" / "rensho.env.example").read_text()
    assert "\nRENSHO_DATA=/var/lib/rensho\n" in example
    for path in SERVICES:
        service = parse(path)["Service"]
        assert service["StateDirectory"] == ["rensho"], "which is /var/lib/rensho"


def complaints(folder: Path) -> list[str]:
    """What ``systemd-analyze verify`` prints of the units in a folder; skips, which fails in CI, without it.

    Its exit status is 0 even for a misspelt key.
    """
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("no systemd-analyze")
    command = [analyse, "verify", "--man=no", "--recursive-errors=no", *sorted(map(str, folder.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return [line for line in done.stderr.splitlines() if "rensho" in line]


def test_systemd_finds_nothing_unknown(tmp_path):
    for path in UNITS:
        text = path.read_text().replace(f"{HOME}/.venv/bin/", "/usr/bin/env ")
        (tmp_path / path.name.replace("@.", "@1.")).write_text(text)
    signs = ("Unknown", "not executable", "Failed")
    assert [line for line in complaints(tmp_path) if any(sign in line for sign in signs)] == []


def test_systemd_analyze_would_notice_a_misspelt_key(tmp_path):
    broken = tmp_path / "rensho-web.service"
    broken.write_text("[Service]\nExecStart=/usr/bin/env true\nRestrat=always\n")
    assert any("'Restrat'" in line for line in complaints(tmp_path))
