"""Decodes text files that people write, such as TOML and CSV, from any common editor."""

from __future__ import annotations

from engine.refusals import quoted

PATH_CHARACTERS = 150
_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""Byte order marks of refused encodings, longer ones first."""
_JAPANESE = (("\u3040", "\u30ff"), ("\u4e00", "\u9fff"))
"""Ranges of kana and kanji."""


class TextFileError(ValueError):
    """A file that is not UTF-8; the message names the file, its encoding and the remedy."""


def text_decoded(data: bytes, name: str) -> str:
    """Return the text of a UTF-8 file without its byte order mark; ``name`` is for messages.

    Raise ``TextFileError`` if the file has another encoding or contains a NUL.
    """
    quoted_name = quoted(name, PATH_CHARACTERS) if not name.isprintable() else name
    encoding = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "")
    if not encoding and _is_unmarked_utf_16(data):
        encoding = "UTF-16"
    if encoding:
        raise TextFileError(f"{quoted_name} is {encoding}: save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if _is_cp932(data):
            raise TextFileError(f"{quoted_name} is cp932 (Shift_JIS): save it as UTF-8") from None
        line = data.count(b"\n", 0, error.start) + 1
        raise TextFileError(f"{quoted_name} is not UTF-8 (line {line}): save it as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise TextFileError(f"{quoted_name} holds a NUL (line {line}): save it as UTF-8 text")
    return text


def _is_unmarked_utf_16(data: bytes) -> bool:
    """Return whether every second byte is mostly zero: Latin letters in UTF-16."""
    pairs = len(data) // 2
    return pairs > 1 and max(data[::2].count(0), data[1::2].count(0)) > pairs * 3 // 4 and any(data)


def _is_cp932(data: bytes) -> bool:
    """Return whether the bytes are Japanese text in the Windows encoding."""
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return False
    is_japanese = any(first <= character <= last for character in text for first, last in _JAPANESE)
    return is_japanese and not any("\ue000" <= character <= "\uf8ff" for character in text)
