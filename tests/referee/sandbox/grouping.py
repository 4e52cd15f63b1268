"""Which arrangements of control groups work here and now; shared by the tests of groups."""

import os

from referee.errors import SandboxUnavailable
from referee.sandbox import Level, cgroups, probe
from referee.sandbox.cgroup_sites import CgroupSite, hierarchies, sites


def working_places() -> list[CgroupSite]:
    """Every arrangement that works, best first; if none does, the refusal is held against what there is."""
    refusal = None
    try:
        best = cgroups.cgroup_site()
    except SandboxUnavailable as error:
        refusal = error
    if refusal is None:
        return [site for site in sites(hierarchies()) if site == best or _works(site)]
    assert "SANDBOX_CGROUP" in refusal.remedy
    assert (refusal.step, refusal.remedy) in probe().failures
    assert probe().level < Level.FULL
    assert not can_write_groups(), f"groups can be had here, and yet: {refusal}"
    return []


def can_write_groups() -> bool:
    """Root, not told to do without, with a memory controller in a tree that may be written."""
    if os.geteuid() != 0 or os.environ.get("SANDBOX_CGROUP") == "off":
        return False
    tops = [
        tree.mount
        for tree in hierarchies()
        if "memory" in tree.controllers
        or (tree.version == 2 and "memory" in (tree.mount / "cgroup.controllers").read_text().split())
    ]
    return any(os.access(top, os.W_OK) for top in tops)


def _works(site: CgroupSite) -> bool:
    try:
        cgroups._try(site)
    except SandboxUnavailable:
        return False
    return True
