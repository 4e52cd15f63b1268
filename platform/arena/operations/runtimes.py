"""Publishing the artefacts of runtimes: the compiled kernel of this installation, for all its workers."""

from __future__ import annotations

from typing import NamedTuple

from arena.matches.runtime_artifacts import artifact_current, artifact_publish
from referee.errors import SandboxUnavailable
from referee.runtimes import kernel


class Published(NamedTuple):
    """The artefact in use after a publication."""

    runtime: str
    sha256: str
    is_new: bool
    """Whether another one was in use before, or none."""
    modules: tuple[str, ...]
    """Files of the compiled modules."""


def kernel_publish() -> Published:
    """Publish the kernel that is compiled here.

    Raises:
        SandboxUnavailable: it is not compiled, or of other sources than those here, or this machine could not
            run it.
    """
    folder = kernel.kernel_folder()
    kernel.require_current(folder)
    data = kernel.pack(folder)
    found = kernel.unpack(data)
    kernel.require_host(found)
    is_new = artifact_publish(kernel.NAME, data, found.sources_sha256)
    current = artifact_current(kernel.NAME)
    return Published(kernel.NAME, "" if current is None else current.sha256, is_new, found.compiled)


def kernel_publish_missing() -> Published | None:
    """The same unless these sources are in use; None if they are, or if nothing is compiled here.

    So an installation on one machine, and the first after an upgrade, has the kernel of its release.

    Raises:
        SandboxUnavailable: what is compiled here was compiled of other sources.
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
        # What is missing is said by readiness and doctor.
        return None
