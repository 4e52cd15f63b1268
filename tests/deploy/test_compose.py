"""``compose.yaml``: Docker Compose reads it, and its values are those of the code and of the units."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from arena.settings.database import DEFAULT_POOL_SIZE
from arena.settings.names import INSTALLATION_VARIABLES
from arena.settings.play import PlayLimits
from arena.settings.secret_files import SECRETS, file_variable
from tests.deploy.readers import (
    DEPLOY,
    SITE,
    UNITS,
    compose,
    compose_secrets,
    compose_services,
    connections,
    seconds,
    unit,
)
from tests.images.__main__ import main as images_check
from tests.images.podman import run_options

COMPOSE = DEPLOY / "compose.yaml"


@pytest.fixture(scope="module")
def services():
    return compose_services()


def test_docker_compose_accepts_it():
    done = compose(COMPOSE, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("read_only: true", "readonly: true"),
        ("secrets: [queue.conf]", "secrets: [queue]"),
        ("networks: [front, back]", "networks: [front, rear]"),
    ],
)
def test_docker_compose_notices_a_planted_error(tmp_path, right, wrong):
    broken = tmp_path / "compose.yaml"
    text = COMPOSE.read_text()
    assert right in text
    broken.write_text(text.replace(right, wrong))
    assert compose(broken, "--quiet").returncode != 0


def test_it_needs_the_name_of_the_site(monkeypatch):
    monkeypatch.setattr("tests.deploy.readers.SITE", "")
    assert "RENSHO_HOST" in compose(COMPOSE, "--quiet").stderr


def test_every_process_is_there(services):
    assert set(services) == {*UNITS, "database", "queue", "storage", "manage", "proxy"}
    for name in [*UNITS, "manage"]:
        assert services[name]["build"]["target"] == name
        assert services[name]["build"]["dockerfile"] == "deploy/images/Containerfile"


@pytest.mark.parametrize("name", UNITS)
def test_a_process_may_take_as_long_to_stop_as_its_unit(services, name):
    assert seconds(services[name]["stop_grace_period"]) == int(unit(UNITS[name])["TimeoutStopSec"][0])


def test_a_worker_may_finish_its_table(services):
    assert seconds(services["worker"]["stop_grace_period"]) > settings.CELERY_TASK_TIME_LIMIT


@pytest.mark.parametrize("name", UNITS)
def test_variables_exist_and_secrets_come_from_files(services, name):
    environment = services[name]["environment"]
    files = {file_variable(secret): secret for secret in SECRETS}
    assert set(environment) <= INSTALLATION_VARIABLES | set(files)
    assert set(environment) & set(SECRETS) == set()
    mounted = {entry["target"] for entry in services[name]["secrets"]}
    given = {environment[variable] for variable in files if variable in environment}
    assert given == mounted
    assert {path.rpartition("/")[2] for path in given} <= set(compose_secrets())
    assert {"SECRET_KEY_FILE", "DATABASE_URL_FILE", "REDIS_URL_FILE"} <= set(environment)


@pytest.mark.parametrize("name", [*UNITS, "manage"])
def test_no_process_has_privileges(services, name):
    service = services[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"]
    assert "no-new-privileges" in service["security_opt"]
    assert "user" not in service
    assert not service.get("privileged")
    assert "docker.sock" not in str(service.get("volumes"))


def test_only_bots_have_the_profile_and_the_staging_area(services):
    for name in UNITS:
        is_special = any(option.startswith("seccomp=") for option in services[name]["security_opt"])
        assert is_special == (name in ("worker", "play"))
        if is_special:
            assert "systempaths=unconfined" in services[name]["security_opt"]
            assert any(entry.startswith("/stage:exec") for entry in services[name]["tmpfs"])
            assert int(services[name]["pids_limit"]) == int(unit(UNITS[name])["TasksMax"][0])
            assert int(services[name]["mem_limit"]) == int(unit(UNITS[name])["MemoryMax"][0].strip("G")) << 30
            assert services[name]["ulimits"] == {
                "nofile": int(unit(UNITS[name])["LimitNOFILE"][0]),
                "nproc": int(unit(UNITS[name])["LimitNPROC"][0]),
            }


def test_the_profile_is_a_path_next_to_the_file():
    (path,) = set(re.findall(r"seccomp=(\S+)", COMPOSE.read_text()))
    assert (COMPOSE.parent / path).is_file()


def test_the_proxy_alone_is_reachable(services):
    assert [name for name, service in services.items() if service.get("ports")] == ["proxy"]
    assert {name for name, service in services.items() if "front" in service["networks"]} == {"web", "proxy"}
    assert services["proxy"]["environment"] == {"RENSHO_HOST": SITE, "RENSHO_UPSTREAM": "web:8000"}
    assert services["web"]["environment"]["RENSHO_ORIGINS"] == f"https://{SITE}"


def test_connections_fit_the_database(services):
    (limit,) = [word for word in services["database"]["command"] if word.startswith("max_connections=")]
    tables = int(services["worker"]["environment"]["RENSHO_TABLES"])
    needed = connections(dict.fromkeys(UNITS, 1), tables, DEFAULT_POOL_SIZE, PlayLimits().tables)
    assert needed <= int(limit.partition("=")[2]) - 3


def test_processes_start_after_the_migration(services):
    for name in UNITS:
        assert services[name]["depends_on"]["manage"]["condition"] == "service_completed_successfully"
    assert services["manage"]["depends_on"]["database"]["condition"] == "service_healthy"


def test_make_images_check_gives_podman_the_same_options(services):
    secrets = {name: {"file": f"/secrets/{name}"} for name in compose_secrets()}
    options = run_options(services["worker"], secrets, DEPLOY)
    assert {"--cap-drop=ALL", "--read-only", "--security-opt=unmask=ALL"} <= set(options)
    (profile,) = [option for option in options if "seccomp=" in option]
    assert Path(profile.rpartition("=")[2]).samefile(DEPLOY / "images" / "seccomp.json")
    assert "--tmpfs=/stage:exec,size=512m,mode=1777" in options
    for variable, path in services["worker"]["environment"].items():
        if variable.endswith("_FILE"):
            assert f"--volume=/secrets/{path.rpartition('/')[2]}:{path}:ro" in options


def test_make_images_check_names_the_packages_that_are_missing(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert images_check([]) == 2
    assert "podman runc debootstrap uidmap" in capsys.readouterr().err
