"""Moments of options and files: in this computer's zone, and what was understood is printed."""

from __future__ import annotations

import json
import time

import pytest


@pytest.fixture
def berlin(monkeypatch):
    """A computer in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


NEW = ("tournaments", "new", "--print", "--name", "x", "--preset", "kakeya4")


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("text", "moment", "has_factor"),
    [
        ("2097-05-01", "2097-05-01T21:59:00Z", True),
        ("2097-12-31", "2097-12-31T22:59:00Z", True),
        ("2097-05-01T18:00", "2097-05-01T16:00:00Z", True),
        ("2097-05-01 18:00", "2097-05-01T16:00:00Z", True),
        ("2097-05-01T18:00Z", "2097-05-01T18:00:00Z", False),
        ("2097-05-01T18:00+09:00", "2097-05-01T09:00:00Z", False),
    ],
)
def test_a_moment(run, text, moment, has_factor):
    status, out, err = run(*NEW, "--closes-at", text)
    assert status == 0
    assert json.loads(out)["closes_at"] == moment
    assert (f"{moment[:10]} {moment[11:16]} UTC" in err) == has_factor
    assert json.loads(run(*NEW, "--set", f"closes_at={text}")[1]) == json.loads(out)


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("closes_at = 2097-05-01", "2097-05-01T21:59:00Z"),
        ("closes_at = 2097-05-01T18:00:00", "2097-05-01T16:00:00Z"),
        ("closes_at = 2097-05-01T18:00:00Z", "2097-05-01T18:00:00Z"),
        ('closes_at = "2097-05-01T18:00"', "2097-05-01T16:00:00Z"),
    ],
)
def test_a_moment_of_a_file(run, tmp_path, line, moment):
    path = tmp_path / "cup.toml"
    path.write_text(f'name = "x"\npreset = "kakeya4"\n{line}\n')
    status, out, _ = run("tournaments", "new", "--print", path)
    assert (status, json.loads(out)["closes_at"]) == (0, moment)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--closes-at", "2097-02-29"),
        ("--closes-at", "2097-02-29T18:00Z"),
        ("--starts-at", "2097-05-01"),
        ("--closes-at", "tomorrow"),
        ("--closes-at", "0001-01-01T00:00+14:00"),
    ],
)
def test_what_is_no_moment(run, option, text):
    run.refuses(*NEW, option, text, names=text)


@pytest.mark.usefixtures("berlin")
def test_the_last_day_of_a_series(run, odo):
    status, out, err = run(
        "series", "new", "--name", "x", "--frequency", "daily", "--start-time", "20:00",
        "--preset", "kakeya4", "--until",
        "2097-05-01", "--json",
    )  # fmt: skip
    assert status == 0
    assert json.loads(out)["until"] == "2097-05-01T21:59:00Z"
    assert "2097-05-01 21:59 UTC" in err
