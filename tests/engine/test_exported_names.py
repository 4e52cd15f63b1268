import tomllib
from pathlib import Path

import engine

PUBLIC = """
ENGINE_VERSION Act Action Board BoardKind EngineError Event Game Hands IllegalAction NotationError
Observation ObservationError Outcome RecordError RecordWriter Replay ReplayedBoard Ruleset
Rules RulesVersionMismatch RulesetError Seat Side State Step UnknownGame Worlds all_games game_named
partner_of preset_named replay
"""


def test_the_public_names_are_these_and_no_others():
    assert sorted(engine.__all__) == sorted(PUBLIC.split())


def test_every_public_name_exists():
    assert [name for name in engine.__all__ if not hasattr(engine, name)] == []


def test_the_engine_has_the_version_of_the_project():
    project = tomllib.loads((Path(engine.__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["version"] == engine.ENGINE_VERSION
