"""Text files in every encoding that editors save: read, or refused with the remedy."""

import pytest

from referee.text_files import TextFileError, text_decoded
from tests.refusals import refusal

TEXT = 'name = "Caf\xe9"\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf_8_is_read_without_its_mark(encoding):
    assert text_decoded(TEXT.encode(encoding), "a.toml") == TEXT
    assert text_decoded(b"", "a.toml") == ""


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (TEXT.encode("utf-16"), "UTF-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "UTF-16"),
        (TEXT.encode("utf-16-le"), "UTF-16"),
        (TEXT.encode("utf-16-be"), "UTF-16"),
        (TEXT.encode("utf-32"), "UTF-32"),
        ('name = "\u96e2\u5c71"\n'.encode("cp932"), "cp932"),
        ('name = "\u30ab\u30c3\u30af\u30ea"\n'.encode("cp932"), "cp932"),
        (TEXT.encode("latin-1"), "not UTF-8 (line 1)"),
        (b"a\nb\n\xff", "not UTF-8 (line 3)"),
        (b"a\nb\0c", "NUL (line 2)"),
    ],
)
def test_another_encoding_is_named_with_the_remedy(data, named):
    refused = refusal(TextFileError, text_decoded, data, "rensho.toml")
    message = str(refused)
    assert message.startswith("rensho.toml ")
    assert named in message
    assert "UTF-8" in message
