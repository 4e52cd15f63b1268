"""The manifests: kubectl builds the overlays, objects have their schemas, values are those of the code."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.conf import settings
from django.utils import timezone

from arena.operations.staleness import _looks
from arena.settings.database import DEFAULT_POOL_SIZE
from arena.settings.names import INSTALLATION_VARIABLES
from arena.settings.play import PlayLimits
from arena.settings.secret_files import SECRETS, file_variable
from tests.deploy.readers import (
    DEPLOY,
    SITE,
    UNITS,
    complaint,
    compose_secrets,
    connections,
    installed,
    instructions,
    unit,
)

KUBERNETES = DEPLOY / "kubernetes"
OVERLAYS = ("small", "large")
VERSION = "1.33"
"""The oldest one with every field that is used: user namespaces are on by default from here on."""
Objects = dict[tuple[str, str], dict[str, Any]]


def build(folder: Path) -> str:
    """What ``kubectl kustomize`` makes of an overlay."""
    output = folder / "objects.yaml"
    command = [installed("kubectl"), "kustomize", str(folder), "--output", str(output)]
    assert complaint(command) == ""
    return output.read_text()


def copy_of(overlay: str, folder: Path) -> Path:
    """A copy of an overlay with its base, in a folder of the test."""
    shutil.copytree(KUBERNETES, folder / "kubernetes")
    return folder / "kubernetes" / "overlays" / overlay


@pytest.fixture(scope="module")
def overlays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Objects]:
    found = {}
    for overlay in OVERLAYS:
        text = build(copy_of(overlay, tmp_path_factory.mktemp(overlay)))
        found[overlay] = {
            (each["kind"], re.sub(r"-[a-z0-9]{10}$", "", each["metadata"]["name"])): each
            for each in yaml.safe_load_all(text)
        }
    return found


def pod(objects: Objects, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = objects["Deployment", name]["spec"]["template"]["spec"]
    return spec


def validate(each: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kubernetes_validate.validate(each, VERSION, strict=True)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_each_object_has_its_schema(overlays, overlay):
    for (kind, _), each in overlays[overlay].items():
        if kind != "ScaledObject":  # KEDA's
            validate(each)


@pytest.mark.parametrize(
    ("key", "value"), [("terminationGracePeriod", 660), ("hostUsers", "no"), ("containers", [{"image": "x"}])]
)
def test_the_schemas_notice_a_planted_error(overlays, key, value):
    broken = yaml.safe_load(yaml.safe_dump(overlays["small"]["Deployment", "worker"]))
    broken["spec"]["template"]["spec"][key] = value
    with pytest.raises(kubernetes_validate.ValidationError):
        validate(broken)


def test_kustomize_notices_a_planted_error(tmp_path):
    folder = copy_of("large", tmp_path)
    file = folder / "kustomization.yaml"
    file.write_text(file.read_text().replace("scaling.yaml", "scalling.yaml"))
    assert "scalling.yaml" in complaint([installed("kubectl"), "kustomize", str(folder)])


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("name", UNITS)
def test_a_process_may_take_as_long_to_stop_as_its_unit(overlays, overlay, name):
    grace = pod(overlays[overlay], name)["terminationGracePeriodSeconds"]
    assert grace >= int(unit(UNITS[name])["TimeoutStopSec"][0])
    if name == "worker":
        assert grace > settings.CELERY_TASK_TIME_LIMIT


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_variables_exist_and_secrets_are_mounted_where_they_are_read(overlays, overlay):
    environment = overlays[overlay]["ConfigMap", "rensho"]["data"]
    files = {file_variable(secret): secret for secret in SECRETS}
    assert set(environment) <= INSTALLATION_VARIABLES | set(files)
    given = {environment[variable] for variable in files if variable in environment}
    pods = [pod(overlays[overlay], name) for name in UNITS]
    pods.append(overlays[overlay]["Job", "migrate"]["spec"]["template"]["spec"])
    for each in pods:
        (secrets,) = [volume["secret"] for volume in each["volumes"] if volume["name"] == "secrets"]
        (mount,) = [mount for mount in each["containers"][0]["volumeMounts"] if mount["name"] == "secrets"]
        assert {f"{mount['mountPath']}/{item['path']}" for item in secrets["items"]} == given
        assert {item["key"] for item in secrets["items"]} <= set(compose_secrets())
        # Variables of a Service called rensho would look like settings.
        assert not each["enableServiceLinks"]
    assert environment["RENSHO_HOSTS"].split(",") == [SITE, "localhost"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_no_container_has_privileges(overlays, overlay):
    for (kind, _), each in overlays[overlay].items():
        if kind not in ("Deployment", "Job", "StatefulSet"):
            continue
        spec = each["spec"]["template"]["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert not spec["automountServiceAccountToken"]
        for container in spec["containers"]:
            security = container["securityContext"]
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert not security["allowPrivilegeEscalation"]
            assert "privileged" not in security
            assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", UNITS)
def test_only_bots_have_what_their_sandbox_needs(overlays, name):
    spec = pod(overlays["small"], name)
    (container,) = spec["containers"]
    is_special = name in ("worker", "play")
    assert (spec.get("hostUsers") is False) == is_special
    assert (container["securityContext"].get("procMount") == "Unmasked") == is_special
    profile = {**spec["securityContext"], **container["securityContext"]}["seccompProfile"]["type"]
    assert profile == ("Localhost" if is_special else "RuntimeDefault")
    stage = [volume["emptyDir"] for volume in spec["volumes"] if volume["name"] == "stage"]
    assert bool(stage) == is_special
    assert all(volume["medium"] == "Memory" for volume in stage)


def test_a_worker_gets_whole_cores_of_its_own(overlays):
    resources = pod(overlays["large"], "worker")["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"]
    assert overlays["large"]["ConfigMap", "rensho"]["data"]["RENSHO_TABLES"] == resources["limits"]["cpu"]


def test_probes_ask_the_health_checks(overlays):
    (web,) = pod(overlays["small"], "web")["containers"]
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert {web[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe")} == {"/healthz"}
    assert web["ports"][0]["containerPort"] == 8000
    for name in UNITS:
        if name != "web":
            probe = pod(overlays["small"], name)["containers"][0]["livenessProbe"]["exec"]["command"]
            check = instructions(name)["HEALTHCHECK"][-1].partition("CMD ")[2]
            assert probe == yaml.safe_load(check)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_images_and_budgets_are_of_existing_processes(overlays, overlay):
    for (kind, name), each in overlays[overlay].items():
        if kind == "Deployment":
            image = each["spec"]["template"]["spec"]["containers"][0]["image"]
            assert image.startswith(f"registry.example.org/rensho-{name}:")
        if kind == "PodDisruptionBudget":
            assert each["spec"]["maxUnavailable"] == 1
            assert each["spec"]["selector"] == overlays[overlay]["Deployment", name]["spec"]["selector"]
    budgets = {name for kind, name in overlays[overlay] if kind == "PodDisruptionBudget"}
    assert budgets == {"web", "worker", "play", "housekeeping"}


def test_beat_is_there_once(overlays):
    for objects in overlays.values():
        beat = objects["Deployment", "beat"]["spec"]
        assert (beat["replicas"], beat["strategy"]["type"]) == (1, "Recreate")


def test_workers_follow_the_age_of_the_queue(overlays):
    scaled = overlays["large"]["ScaledObject", "worker"]["spec"]
    assert "replicas" not in overlays["large"]["Deployment", "worker"]["spec"]
    assert scaled["scaleTargetRef"]["name"] == "worker"
    metadata = scaled["triggers"][0]["metadata"]
    metric, what, state = re.findall(r'\b(rensho_\w+)\{what="(\w+)",state="(\w+)"\}', metadata["query"])[0]
    assert metric == "rensho_oldest_age_seconds"
    states = {(rows.kind, each.name) for rows in _looks(timezone.now()) for each in rows.states}
    assert (what, state) in states


def test_connections_fit_the_database(overlays):
    small = overlays["small"]
    tables = int(small["ConfigMap", "rensho"]["data"]["RENSHO_TABLES"])
    (limit,) = [
        word
        for word in small["StatefulSet", "database"]["spec"]["template"]["spec"]["containers"][0]["args"]
        if word.startswith("max_connections=")
    ]
    play = PlayLimits().tables
    assert (
        connections(dict.fromkeys(UNITS, 1), tables, DEFAULT_POOL_SIZE, play) <= int(limit.split("=")[1]) - 3
    )
    replicas = {
        name: each["spec"]["replicas"]
        for (kind, name), each in overlays["large"].items()
        if kind == "Deployment" and "replicas" in each["spec"]
    }
    replicas["worker"] = overlays["large"]["ScaledObject", "worker"]["spec"]["maxReplicaCount"]
    text = (KUBERNETES / "overlays" / "large" / "kustomization.yaml").read_text()
    (stated,) = re.findall(r"max_connections of at least (\d+)", text)
    assert connections(replicas, tables, DEFAULT_POOL_SIZE, play) <= int(stated) - 3
