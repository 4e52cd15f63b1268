"""Exports of the platform itself: whole or not there at all, verified, begun again when they break off."""

import hashlib
import io
import json
import zipfile

import pytest

from tests.arena.play import play_out
from tests.bots.kit.server.peer import page, peer, plain, problem
from tests.bots.kit.server.watched import under_way

pytestmark = pytest.mark.full


@pytest.fixture
def public(site, monkeypatch, tmp_path):
    """Nobody in particular, who knows the server and is in a folder of their own."""
    monkeypatch.setenv("RENSHO_URL", site)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def scripted(monkeypatch, tmp_path):
    """A server that answers by a script, known to the kit."""
    monkeypatch.chdir(tmp_path)

    def telling(*answers):
        context = peer(*answers)
        server = context.__enter__()
        stack.append(context)
        monkeypatch.setenv("RENSHO_URL", server.url)
        return server

    stack = []
    yield telling
    for context in stack:
        context.__exit__(None, None, None)


def test_an_archive_is_saved_whole_and_verified(run, public, tmp_path):
    event = play_out(under_way())
    status, out, err = run("export", event.public_id)
    path = tmp_path / f"{event.public_id}.zip"
    assert (status, err) == (0, "")
    assert f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}" in out
    assert "Verified: every deal, result, score and standing follows from it.\n" in out
    assert run("verify", path)[0] == 0
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == [path.name]


def test_an_event_that_is_not_over_is_saved_and_nothing_disagrees(run, public, tmp_path):
    event = under_way()
    status, out, err = run("export", event.public_id)
    assert (status, err) == (0, "")
    assert (tmp_path / f"{event.public_id}.zip").exists()
    assert "The event is not over yet (running), so only part of it can be verified.\n" in out
    assert "Verified" not in out
    assert "disagree" not in out
    summary = json.loads(run("export", event.public_id, "--json")[1])
    assert (summary["is_verified"], summary["is_over"], summary["disagreements"]) == (False, False, [])
    assert run("verify", f"{event.public_id}.zip")[0] == 3


def test_as_json_and_unverified(run, public, tmp_path):
    event = play_out(under_way())
    status, out, _ = run("export", event.public_id, "--output", "there/x.zip", "--no-verify", "--json")
    summary = json.loads(out)
    assert status == 0
    assert (summary["file"], summary["is_verified"], summary["disagreements"]) == ("there/x.zip", False, None)
    assert summary["bytes"] == (tmp_path / "there" / "x.zip").stat().st_size


def test_to_standard_output(capfdbinary, public):
    from bots.kit.cli import main

    event = play_out(under_way())
    assert main(["export", event.public_id, "--output", "-"]) == 0
    captured = capfdbinary.readouterr()
    assert zipfile.ZipFile(io.BytesIO(captured.out)).testzip() is None
    assert b"Verified" in captured.err


def test_lines_are_counted(run, public, tmp_path):
    event = play_out(under_way())
    status, _, err = run("export", event.public_id, "--ndjson")
    assert err == ""
    assert status == 0
    lines = (tmp_path / f"{event.public_id}.ndjson").read_text().splitlines()
    assert json.loads(lines[-1]) == {"type": "end", "lines": len(lines) - 1}
    status, _, err = run("verify", f"{event.public_id}.ndjson")
    assert status == 2
    assert "save the archive with rensho export, without --ndjson" in err


NDJSON = {"Content-Type": "application/x-ndjson"}
END = b'{"type":"a"}\n{"type":"end","lines":1}\n'


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"type":"a"}\n', "1 lines came before its end"),
        (END + b"{}\n", "not whole"),
        (b'{"type":"end","lines":3}\n', "not whole"),
        (b"<html>\n", "line 1 of the export is not what one of ours is"),
        (b"", "0 lines came before its end"),
    ],
)
def test_lines_that_are_not_whole_are_not_saved(run, scripted, tmp_path, body, words):
    scripted((200, NDJSON, body))
    (tmp_path / "e.ndjson").write_text("before")
    status, _, err = run("export", "e", "--ndjson")
    assert status == 3
    assert words in err
    assert [file.read_text() for file in tmp_path.iterdir() if file.is_file()] == ["before"]


def test_an_export_that_breaks_off_is_begun_again_and_that_is_told(run, scripted, tmp_path):
    server = scripted((200, NDJSON, END[:20]), (200, NDJSON, END))
    server.cuts = [5]
    status, _, err = run("export", "e", "--ndjson")
    assert status == 0
    assert "beginning again from the start" in err
    assert (tmp_path / "e.ndjson").read_bytes() == END


def test_an_export_that_always_breaks_off_leaves_nothing(run, scripted, tmp_path):
    server = scripted((200, NDJSON, END))
    server.cut = 5
    status, _, err = run("export", "e", "--ndjson")
    assert status == 3
    assert err.count("beginning again") == 2
    assert not list(tmp_path.glob("*.ndjson"))


def test_a_file_that_lies_is_saved_and_told_with_status_1(run, public, tmp_path):
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
    with peer((200, {"Content-Type": "application/zip"}, buffer.getvalue())) as server:
        monkey = pytest.MonkeyPatch()
        monkey.setenv("RENSHO_URL", server.url)
        status, out, _ = run("export", event.public_id)
        monkey.undo()
    assert status == 1
    assert " disagree" in out
    assert ("rensho verify prints all" in out) == (out.count("\n- ") == 10)
    assert path.read_bytes() == buffer.getvalue()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["No Such"], "'No Such' is no id of a tournament"),
        (["e", "--output", "-", "--json"], "both want standard output"),
        (["e", "--output", "."], ". is a folder"),
    ],
)
def test_what_cannot_be_asked_is_refused_unasked(run, scripted, argv, words):
    server = scripted(plain({}))
    status, _, err = run("export", *argv)
    assert (status, words in err, server.asked) == (2, True, [])


def test_what_the_server_refuses_leaves_nothing(run, scripted, tmp_path):
    scripted(problem(404, "tournament_missing", "There is no tournament 'e'."))
    status, _, err = run("export", "e")
    assert (status, err) == (2, "rensho: There is no tournament 'e'.\n")
    scripted(page(200))
    status, _, err = run("export", "e")
    assert status == 2
    assert "is no export of a tournament" in err
    assert not list(tmp_path.glob("e*"))
