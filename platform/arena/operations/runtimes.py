"""Publish the compiled kernel of this installation as an artefact for all its workers."""

from __future__ import annotations

from typing import NamedTuple

from arena.matches.runtime_artifacts import artifact_current, artifact_publish
from referee.errors import SandboxUnavailable
from referee.runtimes import kernel


class Published(NamedTuple):
    """The artefact in use after publication."""

    runtime: str
    sha256: str
    is_new: bool
    modules: tuple[str, ...]


def kernel_publish() -> Published:
    """Publish the kernel compiled here; ``SandboxUnavailable`` if it is missing, outdated or does not run."""
    folder = kernel.kernel_folder()
    kernel.require_current(folder)
    data = kernel.pack(folder)
    artifact = kernel.unpack(data)
    kernel.require_host(artifact)
    is_new = artifact_publish(kernel.NAME, data, artifact.sources_sha256)
    current = artifact_current(kernel.NAME)
    return Published(kernel.NAME, "" if current is None else current.sha256, is_new, artifact.compiled)


def kernel_publish_missing() -> Published | None:
    """Publish the kernel compiled here unless these sources are in use; None if nothing is published.

    Raises ``SandboxUnavailable`` if the kernel is compiled from other sources.
    """
    try:
        folder = kernel.kernel_folder()
    except SandboxUnavailable:
        return None
    current = artifact_current(kernel.NAME)
    if current is not None and current.sources_sha256 == kernel.sources_sha256(folder):
        return None
    kernel.require_current(folder)
    try:
        return kernel_publish()
    except SandboxUnavailable:
        # Readiness and doctor report what is missing.
        return None
