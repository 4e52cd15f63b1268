"""The sandbox for untrusted bots: ``probe``, ``SandboxedDriver``, ``janitor``. See docs/sandbox.md."""

from referee.runtimes import stage_root
from referee.sandbox.drivers import PlainProcessDriver, SandboxedDriver
from referee.sandbox.janitor import janitor
from referee.sandbox.levels import Failure, Level, ProbeResult, minimum_level
from referee.sandbox.probe import probe, require_level

__all__ = [
    "Failure",
    "Level",
    "PlainProcessDriver",
    "ProbeResult",
    "SandboxedDriver",
    "janitor",
    "minimum_level",
    "probe",
    "require_level",
    "stage_root",
]
