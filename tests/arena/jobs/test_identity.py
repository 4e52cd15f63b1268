"""Process names: alive means this very process, not another with its number."""

import os
import subprocess

from arena.jobs.identity import host_name, names_alive, process_name
from tests.refusals import refusal


def test_this_process_is_alive():
    assert names_alive([process_name()]) == {process_name()}
    assert process_name().startswith(f"{host_name()}:{os.getpid()}:")
    assert len(process_name()) <= 80


def test_a_number_used_again_is_somebody_else():
    host, pid, start = process_name().split(":")
    assert names_alive([f"{host}:{pid}:{int(start) - 1}", f"elsewhere:{pid}:{start}", "junk", ""]) == set()


def test_the_dead_have_no_name_even_before_they_are_buried():
    child = subprocess.Popen(["sleep", "600"])
    name = process_name(child.pid)
    assert names_alive([name]) == {name}
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert names_alive([name]) == set()
    child.wait()
    refusal(ProcessLookupError, process_name, child.pid)
