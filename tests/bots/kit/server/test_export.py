"""Exports of the platform itself: whole or not there at all, verified, begun again when they break off."""

import hashlib
import io
import json
import zipfile

import pytest

from bots.kit.local.board_files import ChosenRules, boards_of
from engine import replay
from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, problem
from tests.bots.kit.server.watched import under_way

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_an_archive_is_saved_whole_and_verified(run, public, tmp_path):
    event = play_out(under_way())
    path = tmp_path / f"{event.public_id}.zip"
    summary = run.json("export", event.public_id)
    assert (summary["is_verified"], summary["is_over"], summary["disagreements"]) == (True, True, [])
    assert summary["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == [path.name]
    assert summary["sha256"] in run.prints("export", event.public_id)
    assert run("verify", path)[0] == 0
    with zipfile.ZipFile(path) as archive:
        records = [archive.read(name) for name in archive.namelist() if name.startswith("records/")]
    in_records = {board.board for record in records for board in replay(record).boards}
    assert {each.board for each in boards_of(path, ChosenRules()).boards} == in_records
    summary = run.json("export", event.public_id, "--output", "there/x.zip", "--no-verify")
    assert (summary["file"], summary["is_verified"], summary["disagreements"]) == ("there/x.zip", False, None)
    assert summary["bytes"] == (tmp_path / "there" / "x.zip").stat().st_size


def test_an_event_that_is_not_over_is_saved_and_nothing_disagrees(run, public):
    event = under_way()
    assert "(running)" in run.prints("export", event.public_id)
    summary = run.json("export", event.public_id)
    assert (summary["is_verified"], summary["is_over"], summary["disagreements"]) == (False, False, [])
    assert run("verify", f"{event.public_id}.zip")[0] == 3


def test_to_standard_output(capfdbinary, public):
    from bots.kit.cli import main

    event = play_out(under_way())
    assert main(["export", event.public_id, "--output", "-"]) == 0
    captured = capfdbinary.readouterr()
    assert zipfile.ZipFile(io.BytesIO(captured.out)).testzip() is None
    assert captured.err


def test_lines_are_counted(run, public, tmp_path):
    event = play_out(under_way())
    run.prints("export", event.public_id, "--ndjson")
    lines = (tmp_path / f"{event.public_id}.ndjson").read_text().splitlines()
    assert json.loads(lines[-1]) == {"type": "end", "lines": len(lines) - 1}
    run.refuses("verify", f"{event.public_id}.ndjson", names="--ndjson")


NDJSON = {"Content-Type": "application/x-ndjson"}
END = b'{"type":"a"}\n{"type":"end","lines":1}\n'


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"type":"a"}\n', "1 lines"),
        (END + b"{}\n", ""),
        (b'{"type":"end","lines":3}\n', ""),
        (b"<html>\n", "line 1"),
        (b"", "0 lines"),
    ],
)
def test_lines_that_are_not_whole_are_not_saved(run, scripted, tmp_path, body, names):
    scripted((200, NDJSON, body))
    (tmp_path / "e.ndjson").write_text("before")
    run.refuses("export", "e", "--ndjson", names=names, status=3)
    assert [file.read_text() for file in tmp_path.iterdir() if file.is_file()] == ["before"]


def test_an_export_that_breaks_off_is_begun_again_and_that_is_told(run, scripted, tmp_path):
    server = scripted((200, NDJSON, END[:20]), (200, NDJSON, END))
    server.cuts = [5]
    status, _, err = run("export", "e", "--ndjson")
    assert (status, err.count("\n")) == (0, 1)
    assert (tmp_path / "e.ndjson").read_bytes() == END


def test_an_export_that_always_breaks_off_leaves_nothing(run, scripted, tmp_path):
    scripted((200, NDJSON, END)).cut = 5
    status, _, err = run("export", "e", "--ndjson")
    assert (status, err.count("\n")) == (3, 3)
    assert not list(tmp_path.glob("*.ndjson"))


def test_a_file_that_lies_is_saved_and_told_with_status_1(run, public, scripted, tmp_path):
    event = play_out(under_way())
    run("export", event.public_id)
    path = tmp_path / f"{event.public_id}.zip"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members["tournament.json"])
    for row in document["stages"][0]["standings"]:
        row["rank"] = 7
    members["tournament.json"] = json.dumps(document).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    scripted((200, {"Content-Type": "application/zip"}, buffer.getvalue()))
    summary = run.json("export", event.public_id, status=1)
    assert summary["disagreements"]
    assert path.read_bytes() == buffer.getvalue()
    out = run.prints("export", event.public_id, status=1)
    assert out.count("\n- ") == min(10, len(summary["disagreements"]))


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["No Such"], "'No Such'"),
        (["e", "--output", "-", "--json"], "--output -"),
        (["e", "--output", "."], "."),
    ],
)
def test_what_cannot_be_asked_is_refused_unasked(run, unasked, argv, names):
    run.refuses("export", *argv, names=names)


@pytest.mark.parametrize("answer", [problem(404, "tournament_not_found"), page(200)])
def test_what_the_server_refuses_leaves_nothing(run, scripted, tmp_path, answer):
    scripted(answer)
    run.refuses("export", "e")
    assert not list(tmp_path.glob("e*"))
