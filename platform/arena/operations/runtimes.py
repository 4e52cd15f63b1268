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
    """Whether it replaced another artefact or none."""
    modules: tuple[str, ...]
    """Names of the compiled modules' files."""


def kernel_publish() -> Published:
    """Publish the kernel compiled here.

    Raises:
        SandboxUnavailable: it is not compiled, is compiled from other sources, or does not run on this
        machine.
    """
    folder = kernel.kernel_folder()
    kernel.require_current(folder)
    data = kernel.pack(folder)
    artifact = kernel.unpack(data)
    kernel.require_host(artifact)
    is_new = artifact_publish(kernel.NAME, data, artifact.sources_sha256)
    current = artifact_current(kernel.NAME)
    return Published(kernel.NAME, "" if current is None else current.sha256, is_new, artifact.compiled)


def kernel_publish_missing() -> Published | None:
    """Publish the kernel compiled here unless these sources are in use; None if they are or nothing is
    compiled.

    So a single-machine installation, or the first machine after an upgrade, has the kernel of its release.
    Raise ``SandboxUnavailable`` if the kernel is compiled from other sources.
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
