"""The Containerfile: hadolint, commands as in the units, no root, and the seccomp profile of bots."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import time

import pytest

from referee.sandbox import jailer, syscalls
from tests.deploy import readers
from tests.deploy.readers import DEPLOY, ROOT, UNITS, complaint, installed, instructions, unit

IMAGES = DEPLOY / "images"
CONTAINERFILE = IMAGES / "Containerfile"
PROFILE = json.loads((IMAGES / "seccomp.json").read_text())
NAMESPACES = {"clone", "unshare", "mount", "umount2", "pivot_root", "sethostname", "seccomp", "pidfd_getfd"}
HARMFUL = """
    acct add_key bpf chroot clock_settime delete_module finit_module fsconfig fsmount fsopen init_module
    io_uring_setup ioperm iopl kcmp kexec_load keyctl move_mount name_to_handle_at open_by_handle_at open_tree
    process_vm_readv process_vm_writev ptrace quotactl reboot request_key setns settimeofday swapon syslog
    perf_event_open userfaultfd
"""


def allowed() -> set[str]:
    return {
        name for rule in PROFILE["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]
    }


def test_hadolint_finds_nothing():
    assert complaint([installed("hadolint"), str(CONTAINERFILE)]) == ""


def test_hadolint_notices_a_planted_error(tmp_path):
    broken = tmp_path / "Containerfile"
    broken.write_text(CONTAINERFILE.read_text().replace("WORKDIR /opt/rensho", "WORKDIR opt/rensho"))
    assert "DL3000" in complaint([installed("hadolint"), str(broken)])


def words(command: str) -> list[str]:
    """The words of an ExecStart or CMD, without the folder, the host and the worker's number."""
    found = json.loads(command) if command.startswith("[") else command.split()
    if found[:2] == ["sh", "-c"]:
        found = found[2].removeprefix("exec ").replace('"', "").replace(":-1}", "}").split()
    return [
        re.sub(r"^/opt/rensho/current/.venv/bin/", "", word).replace("-%i", "").replace("%%", "%")
        for word in found
    ]


@pytest.mark.parametrize(("target", "name"), UNITS.items(), ids=UNITS)
def test_an_image_runs_the_command_of_its_unit(target, name):
    expected = words(unit(name)["ExecStart"][-1])
    found = words(instructions(target)["CMD"][-1])
    assert found == ["0.0.0.0" if word == "127.0.0.1" else word for word in expected]


def test_the_image_for_commands_migrates_as_the_web_unit_does():
    image = instructions("manage")
    command = json.loads(image["ENTRYPOINT"][-1])[2:] + json.loads(image["CMD"][-1])
    # The unit leaves the second step of migrations to deploy/release.sh.
    assert [*command, "--expand"] == words(unit(UNITS["web"])["ExecStartPre"][0])


@pytest.mark.parametrize("target", [*UNITS, "manage"])
def test_an_image_runs_as_an_ordinary_user_with_the_environment_of_its_unit(target):
    image = instructions(target)
    assert image["USER"][-1] == "1000:1000"
    assert image["ENTRYPOINT"][-1].startswith('["tini", "--"')
    assert image["STOPSIGNAL"] == ["SIGTERM"]
    text = " ".join(image["ENV"])
    for setting in unit(UNITS["web"])["Environment"][0].split():
        assert setting.replace("/opt/rensho/current", "/opt/rensho") in text
    assert "requirements/extras.lock" in " ".join(instructions("build")["COPY"])
    assert "--require-hashes" in " ".join(instructions("build")["RUN"])


@pytest.mark.parametrize("target", UNITS)
def test_a_process_has_a_health_check(target):
    (check,) = instructions(target)["HEALTHCHECK"][-1:]
    kind = json.loads(check.partition("CMD ")[2])[-1]
    assert kind == {"web": "web", "beat": "beat"}.get(target, "loop")


def test_the_files_that_are_copied_pass_the_ignore_file():
    kept = {
        line[1:]
        for line in (IMAGES / "Containerfile.dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = [value.split()[:-1] for name in ("build", "site") for value in instructions(name)["COPY"]]
    sources = {word for value in copied if not value[0].startswith("--from") for word in value}
    assert sources == kept
    assert [name for name in sources if not (ROOT / name).exists()] == []


def health(kind: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(IMAGES / "health.py"), kind]
    environment = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=30, check=False)


def test_the_health_check_follows_the_liveness_file(tmp_path):
    file = tmp_path / "alive"
    assert "is missing" in health("loop", RENSHO_LIVENESS=str(file)).stderr
    file.touch()
    assert health("loop", RENSHO_LIVENESS=str(file)).returncode == 0
    os.utime(file, (0, time.time() - 1000))
    assert health("loop", RENSHO_LIVENESS=str(file)).returncode == 1


def test_the_health_check_of_the_web_process_is_red_without_one():
    assert health("other").returncode == 1
    module = runpy.run_path(str(IMAGES / "health.py"))
    module["web"].__globals__["PORT"] = 1
    assert "does not answer" in module["web"]()


def test_the_profile_allows_what_bots_and_their_sandbox_need():
    calls = {name for table in syscalls.ALLOWED.values() for name in table}
    calls |= {name for table in jailer._CALLS.values() for name in table}
    # Refused as a call that the kernel lacks: programs fall back to clone, whose flags a filter can read.
    assert calls - allowed() == {"clone3"}
    assert allowed() >= NAMESPACES


def test_the_profile_allows_no_more():
    assert allowed() & set(HARMFUL.split()) == set()
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ALLOW"}
    limited = {name for rule in PROFILE["syscalls"] if "args" in rule for name in rule["names"]}
    assert limited == {"socket", "personality"}


def test_secrets_are_generated_once_and_only_their_owner_can_enter(tmp_path):
    folder = tmp_path / "secrets"
    script = ["sh", str(IMAGES / "secrets.sh"), str(folder)]
    assert complaint(script) == ""
    assert folder.stat().st_mode & 0o777 == 0o700
    before = {path.name: path.read_text() for path in folder.iterdir()}
    password = before["database_password"].strip()
    assert len(password) == 48
    assert before["database_url"] == f"postgres://rensho:{password}@database:5432/rensho\n"
    assert json.loads(before["storage.json"])["identities"][0]["credentials"] == [
        {"accessKey": before["storage_key_id"].strip(), "secretKey": before["storage_secret"].strip()}
    ]
    assert complaint(script) == ""
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
    assert set(before) == set(readers.compose_secrets())
