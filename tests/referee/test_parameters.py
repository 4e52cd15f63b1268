"""Parameters of a bot: what rensho.toml may list, and the same bot with other values."""

import pytest

from referee.bundle import import_archive, read_bundle, with_parameters
from referee.errors import BundleError
from referee.parameters import Parameter, ParameterError, parse_parameters, parse_values
from tests.referee.archives import zipped
from tests.refusals import refusal

MANIFEST = 'name = "x"\nruntime = "python/1"\nentry_point = "main.py"\n'
RISK = Parameter("risk", 0.5, 0.0, 1.0)
DEPTH = Parameter("depth", 3.0, 1.0, 8.0, whole=True)
SCALE = Parameter("scale", 0.1, 1e-3, 10.0, log=True)


def bundle_with(*lines):
    text = MANIFEST + "\n".join(["[parameters]", *lines]) + "\n"
    return import_archive(zipped({"rensho.toml": text.encode(), "main.py": b"pass\n"}), "bot.zip")


def test_a_manifest_lists_them_and_their_lines_say_the_same_again():
    listed = (RISK, DEPTH, SCALE)
    bundle = bundle_with(*(parameter.toml_line() for parameter in listed))
    assert bundle.manifest.parameters == listed
    assert DEPTH.toml_line() == "depth = { default = 3, least = 1, most = 8, whole = true }"


def test_other_values_make_another_canonical_bundle_of_the_same_files():
    bundle = bundle_with(RISK.toml_line(), DEPTH.toml_line())
    varied = with_parameters(bundle, {"risk": 0.25})
    assert varied.sha256 != bundle.sha256
    assert read_bundle(varied.data) == varied
    assert [each.default for each in varied.manifest.parameters] == [0.25, 3.0]
    assert with_parameters(varied, {"risk": 0.5}).manifest == bundle.manifest


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("risk = 1", "risk needs a"),
        ("Risk = { default = 1, least = 0, most = 2 }", "'Risk'"),
        ("risk = { default = 1, least = 0 }", "risk needs most"),
        ('risk = { default = "1", least = 0, most = 2 }', "risk needs default"),
        ("risk = { default = true, least = 0, most = 2 }", "risk needs default"),
        ("risk = { default = nan, least = 0, most = 2 }", "between"),
        (f"risk = {{ default = 0, least = 0, most = 1{'0' * 400} }}", "between"),
        ("risk = { default = 3, least = 0, most = 2 }", "not 3"),
        ("risk = { default = 2, least = 2, most = 2 }", "least of parameter risk"),
        ("risk = { default = 1, least = 0, most = 2, log = true }", "log"),
        ("risk = { default = 0.5, least = 0, most = 2, whole = true }", "whole"),
        ("risk = { default = 1, least = 0, most = 2, whole = 1 }", "whole of parameter risk"),
        ("risk = { default = 1, least = 0, most = 2, step = 1 }", "'step'"),
    ],
)
def test_a_line_that_says_nothing_sensible_is_refused(line, complaint):
    refused = refusal(BundleError, bundle_with, line)
    assert refused.code == "bad_manifest"
    assert complaint in refused.message


def test_there_are_not_too_many_and_they_are_a_table():
    with pytest.raises(ParameterError, match="33"):
        parse_parameters({f"p{number}": {} for number in range(33)})
    assert "table" in str(refusal(ParameterError, parse_parameters, 3))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["rsk=1"], "'rsk'"),
        (["risk"], "'risk'"),
        (["risk=much"], "not 'much'"),
        (["risk=nan"], "not nan"),
        (["risk=2"], "not 2"),
        (["depth=1.5"], "not 1.5"),
        (["risk=0", "risk=1"], "twice"),
    ],
)
def test_a_value_it_cannot_have_is_refused(words, complaint):
    assert complaint in str(refusal(ParameterError, parse_values, words, (RISK, DEPTH)))


def test_values_are_read():
    assert parse_values(["depth=4", "risk=1e-1"], (RISK, DEPTH)) == {"depth": 4.0, "risk": 0.1}
