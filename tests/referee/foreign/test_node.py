"""node/1: which node is taken, what its tree holds, what works in it, and where it is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.bundle import import_archive
from referee.check import check_bundle
from referee.contract import Limits, Verdict
from referee.driver import ExitReason
from referee.errors import BundleError, SandboxUnavailable
from referee.runtimes import host_runtime, runtime_named
from referee.runtimes.recipes import node1
from tests.referee.foreign import is_here, packed
from tests.refusals import refusal

LIVES = "\nsetTimeout(() => {}, 60000);\n"
BELOW_FULL = """
import json, sys
from referee.bundle import import_folder
from referee.capability import offer_named
from referee.check import check_bundle
from pathlib import Path
offer = offer_named("node/1")
report = check_bundle(import_folder(Path(sys.argv[1])), "kakeya", "kakeya4")
others = [offer_named(name).refusal for name in ("python/1", "binary/1")]
print(json.dumps([offer._asdict(), report.to_json(), *others]))
"""


class TestWhichNode:
    @pytest.fixture(autouse=True)
    def _no_setting(self, monkeypatch):
        monkeypatch.delenv(node1.SETTING, raising=False)

    def refusal(self):
        caught = refusal(SandboxUnavailable, node1.host_program)
        assert "nodejs 18" in caught.remedy or node1.SETTING in caught.remedy
        return caught.step

    def test_a_machine_without_node_is_told_what_to_install(self, monkeypatch, tmp_path):
        monkeypatch.setattr(node1, "PROGRAM_PATHS", (str(tmp_path / "node"),))
        assert f"{tmp_path}/node" in self.refusal()

    def test_the_setting_decides_alone(self, monkeypatch, tmp_path):
        monkeypatch.setenv(node1.SETTING, str(tmp_path / "missing"))
        assert "missing" in self.refusal()

    def test_a_script_that_starts_node_will_not_do(self, monkeypatch, tmp_path):
        shim = tmp_path / "node"
        shim.write_text('#!/bin/sh\nexec /usr/bin/node "$@"\n')
        shim.chmod(0o755)
        monkeypatch.setenv(node1.SETTING, str(shim))
        assert "itself" in self.refusal()
        monkeypatch.setenv(node1.SETTING, "bin/sh")
        assert "bin/sh" in self.refusal()

    def test_another_program_is_found_out(self, monkeypatch):
        monkeypatch.setenv(node1.SETTING, shutil.which("true"))
        assert "version" in self.refusal()

    def test_an_old_node_is_passed_over_for_a_new_one(self, monkeypatch, tmp_path):
        old, new = tmp_path / "old", tmp_path / "new"
        for program in (old, new):
            shutil.copy(shutil.which("true"), program)
        versions = {old: "16.20.2", new: "22.1.0"}
        monkeypatch.setattr(node1, "_version", versions.__getitem__)
        monkeypatch.setattr(node1, "PROGRAM_PATHS", (str(old), str(new)))
        assert node1.host_program() == new
        versions[new] = "17.0.0"
        assert f"{old} is of version 16" in self.refusal()

    def test_links_are_followed_to_the_program(self, monkeypatch, tmp_path):
        program = tmp_path / "nodejs"
        shutil.copy(shutil.which("true"), program)
        (tmp_path / "node").symlink_to(program)
        monkeypatch.setattr(node1, "_version", lambda _: "20.0.0")
        monkeypatch.setenv(node1.SETTING, str(tmp_path / "node"))
        assert node1.host_program() == program

    def test_parts_kept_in_files_of_their_own_are_found(self, tmp_path):
        program = tmp_path / "usr" / "bin" / "node"
        program.parent.mkdir(parents=True)
        program.write_bytes(b"\x7fELF\0/usr/share/nodejs/acorn/dist/acorn.js\0/usr/share/nodejs/no end.js")
        library = tmp_path / "usr" / "lib" / "libnode.so.108"
        library.parent.mkdir()
        library.write_bytes(b"x\0/usr/share/nodejs/undici/undici-fetch.js\0y")
        assert node1._parts(tmp_path) == {
            Path("/usr/share/nodejs/acorn/dist/acorn.js"),
            Path("/usr/share/nodejs/undici/undici-fetch.js"),
        }


class TestTheBundle:
    @pytest.mark.parametrize("name", ["main.js", "main.mjs", "lib/main.cjs"])
    def test_scripts_are_taken(self, name):
        assert packed("node/1", name, "").manifest.entry_point == name

    @pytest.mark.parametrize("name", ["main.py", "main.ts", "main"])
    def test_other_files_are_refused_with_what_to_name(self, name):
        assert refusal(BundleError, packed, "node/1", name, "").code == "no_entry_point"

    def test_a_script_alone_is_told_to_bring_a_manifest(self):
        assert "rensho.toml" in str(refusal(BundleError, import_archive, b"console.log(1)\n", "main.js"))


@pytest.mark.full
def test_below_level_full_it_is_refused_with_the_remedy(javascript_bot, tmp_path):
    (tmp_path / "rensho.toml").write_text('name = "x"\nruntime = "node/1"\nentry_point = "main.js"\n')
    (tmp_path / "main.js").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", BELOW_FULL, str(tmp_path)],
        env=os.environ | {"SANDBOX_CGROUP": "off", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    offer, report, *others = json.loads(done.stdout)
    assert offer["digest"] == ""
    assert "needs a cgroup" in offer["refusal"]
    assert "FULL1" in offer["refusal"] or "is required" in offer["refusal"]
    assert "SANDBOX_CGROUP" in offer["remedy"]
    assert report["platform_fault"] == f"{offer['refusal']}. {offer['remedy']}"
    assert report["platform_cause"] == "runtime"
    assert (report["accepted"], report["reasons"]) == (False, [])
    assert others == ["", ""]


@pytest.mark.full
class TestInTheSandbox:
    def test_the_tree_holds_node_and_what_it_loads(self):
        if is_here("node/1"):
            root = runtime_named("node/1").root
            names = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
            assert {"usr/bin/node", "usr/bin/sh"} <= names
            rest = {
                name for name in names if not name.startswith(("usr/lib/", "usr/lib64/", "usr/share/nodejs/"))
            }
            assert rest == {"usr/bin/node", "usr/bin/sh"}
            assert not any("npm" in name or "python" in name for name in names)

    def test_the_heap_is_what_the_bot_may_use(self, first_line):
        if is_here("node/1"):
            bot = packed(
                "node/1",
                "main.js",
                "console.log(require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20);" + LIVES,
            )
            for mib in (64, 200):
                limit = float(first_line(bot, Limits(memory_bytes=mib << 20)).line)
                assert mib <= limit <= mib + 32

    def test_it_sees_an_environment_of_five_words_and_no_machine(self, first_line):
        if is_here("node/1"):
            code = "console.log(JSON.stringify([Object.keys(process.env).sort(), require('os').totalmem()]));"
            names, memory = json.loads(first_line(packed("node/1", "main.js", code + LIVES)).line)
            assert names == ["HOME", "LANG", "MALLOC_ARENA_MAX", "PATH", "PWD"]
            assert memory == 0

    def test_modules_of_the_bundle_and_webassembly_work(self, first_line):
        if is_here("node/1"):
            wasm = bytes.fromhex(
                "0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b"
            )
            code = (
                "import fs from 'node:fs';\nimport { name } from './lib/names.mjs';\nimport old from 'old';\n"
                "const code = fs.readFileSync(new URL('add.wasm', import.meta.url));\n"
                "const { instance } = await WebAssembly.instantiate(code);\n"
                "console.log(name, old, instance.exports.add(2, 3), typeof fetch);" + LIVES
            )
            bot = packed(
                "node/1",
                "main.mjs",
                code,
                **{
                    "lib/names.mjs": b"export const name = 'mine';\n",
                    "node_modules/old/index.js": b"module.exports = 'old';\n",
                    "add.wasm": wasm,
                },
            )
            assert first_line(bot).line == "mine old 5 function"

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            (
                "const { Worker } = require('node:worker_threads');"
                "new Worker(\"require('node:worker_threads').parentPort.postMessage(42)\", { eval: true })"
                ".on('message', (m) => console.log('worker said ' + m));",
                "worker said 42",
            ),
            (
                "const { spawnSync } = require('node:child_process');"
                "console.log(String(spawnSync(process.execPath, ['-p', '6 * 7']).stdout).trim());",
                "42",
            ),
            (
                "try { process.dlopen({ exports: {} }, '/tmp/x.node'); } catch (e) { console.log(e.code); }",
                "ERR_DLOPEN_DISABLED",
            ),
            (
                "require('node:net').connect(80, '127.0.0.1').on('error', (e) => console.log(e.code));",
                "EPERM",
            ),
            (
                "try { require('node:fs').writeFileSync('/bot/x', ''); } catch (e) { console.log(e.code); }",
                "EROFS",
            ),
        ],
        ids=["worker_threads", "child_process", "addons", "network", "bundle"],
    )
    def test_what_works_and_what_does_not(self, first_line, code, said):
        if is_here("node/1"):
            assert first_line(packed("node/1", "main.js", code + LIVES)).line == said

    def test_memory_outside_its_heap_is_counted(self, first_line):
        if is_here("node/1"):
            hungry = packed(
                "node/1", "main.js", "const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1));"
            )
            heard = first_line(hungry)
            assert heard.fault is ExitReason.MEMORY
            limit = Limits().memory_bytes + node1.OWN_MEMORY_BYTES
            assert 0.9 * limit < heard.report.peak_bytes <= limit

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length));", "over_memory"),
            ("const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1));", "over_memory"),
            ("const x = [1,\nfunction {\n", "syntax_error"),
            ("[" * 100_000, "crashed_at_start"),
            ("require('left-pad');", "missing_module"),
            ("throw new Error('no');", "crashed_at_start"),
            ("", "crashed_at_start"),
        ],
        ids=["heap", "buffers", "syntax", "nesting", "module", "throws", "empty"],
    )
    def test_the_check_says_what_to_change(self, code, reason):
        if is_here("node/1"):
            report = check_bundle(packed("node/1", "main.js", code), "kakeya", "kakeya4")
            assert report.platform_fault is None
            assert [found.code for found in report.reasons] == [reason], report.report.seats[
                report.seat - 1
            ].faults
            assert report.report.seats[report.seat - 1].verdict in {Verdict.CRASHED, Verdict.OVER_MEMORY}


def test_outside_the_sandbox_it_is_the_same_command():
    runtime = host_runtime("node/1")
    command = runtime.command("/bot", "main.js", 64 << 20)
    assert command == [str(node1.host_program()), *node1.FLAGS, "--max-old-space-size=64", "/bot/main.js"]
    assert runtime.digest == ""
    assert host_runtime("binary/1").command("/x", "bin/bot", 64 << 20) == ["/x/bin/bot"]
