"""Archives made to be costly are refused for what their headers say: little is unpacked, and little said."""

from __future__ import annotations

import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.refusals import REFUSAL_CHARS
from referee.archives import MAX_ARCHIVE_BYTES, Meter
from referee.bundle import import_archive, read_bundle
from referee.errors import BundleError
from tests.chance import examples
from tests.referee.archives import FILES, zipped
from tests.referee.bombs import BOMBS, overlapping, zip_with
from tests.refusals import refusal


def refused(data: bytes, filename: str = "bot.zip") -> tuple[BundleError, int]:
    """The refusal of an archive, and how many bytes it was unpacked into."""
    meter = Meter()
    caught = refusal(BundleError, import_archive, data, filename, meter)
    return caught, meter.unpacked_bytes


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("code", "make"), BOMBS.values(), ids=list(BOMBS))
def test_a_bomb_is_refused_in_few_words_and_with_a_remedy(code, make):
    error, unpacked = refused(make())
    assert error.code == code
    assert len(error.message) <= REFUSAL_CHARS
    assert str(error) == error.message
    assert ":" in error.message
    assert unpacked <= MAX_ARCHIVE_BYTES + 64 * 1024


class TestNothingIsUnpackedThatAHeaderRefuses:
    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(
        "name",
        [
            "a file of 1 GiB",
            "long names of a zip",
            "overlapping members",
            "zip64",
        ],
    )
    def test_of_a_bomb(self, name):
        assert refused(BOMBS[name][1]())[1] <= 4096

    def test_names_up_to_the_limit_are_told_as_what_they_are(self):
        error, _ = refused(zipped(FILES | {"n" * 1000: b""}))
        assert error.code == "path_too_long"
        assert f"'{'n' * 60}...' (1000 characters)" in error.message

    def test_a_name_is_quoted_short_with_its_length(self):
        error, _ = refused(zipped(FILES | {"n" * 8000: b""}))
        assert f"b'{'n' * 60}...' (8000 bytes)" in error.message

    def test_left_out_members_may_be_many(self):
        error, _ = refused(zipped({f".git/{number}": b"" for number in range(5000)}))
        assert error.code == "empty"

    def test_members_that_share_their_bytes_are_named(self):
        error, unpacked = refused(overlapping(2))
        assert (error.code, unpacked) == ("damaged", 0)
        assert "overlap" in error.message

    def test_a_member_of_a_damaged_zip_is_named_as_text(self):
        packed = bytearray(zip_with({"main.py": b"pass"}))
        packed[packed.find(b"PK\1\2") + 42] = 200
        error, _ = refused(bytes(packed))
        assert (error.code, "'main.py'" in error.message) == ("damaged", True)
        assert "b'" not in error.message

    def test_a_meter_may_allow_less(self):
        with pytest.raises(BundleError) as caught:
            import_archive(zipped(FILES | {"a": bytes(1000)}), "bot.zip", Meter(most_bytes=900))
        assert caught.value.code == "too_large"


class TestOrdinaryArchivesOfOtherPackers:
    def test_a_zip_with_extra_fields_and_a_comment(self):
        packed = zip_with(FILES, extra=b"UT\x05\x00\x03abcd", comment=b"made by hand")
        assert import_archive(packed, "bot.zip") == import_archive(zipped(FILES), "bot.zip")

    def test_a_zip_written_to_a_pipe(self):
        # Sizes and checksums follow the contents, and its local headers know neither.
        class Pipe:
            def __init__(self):
                self.data = b""

            def write(self, data):
                self.data += bytes(data)
                return len(data)

            def flush(self):
                pass

        pipe = Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in FILES.items():
                with archive.open(name, "w", force_zip64=True) as file:
                    file.write(data)
        assert import_archive(pipe.data, "bot.zip") == import_archive(zipped(FILES), "bot.zip")


def imported_or_refused(raw: bytes, filename: str) -> None:
    meter, refusal = Meter(), None
    try:
        bundle = import_archive(raw, filename, meter)
    except BundleError as error:
        refusal = error.message
    if refusal is None:
        assert read_bundle(bundle.data) == bundle
    else:
        assert len(refusal) <= REFUSAL_CHARS
    assert meter.unpacked_bytes <= 100 * len(raw) + 64 * 1024


PACKED = [zipped(FILES), zip_with(FILES, extra=b"abcd", comment=b"x")]


class TestWhateverTheBytes:
    @examples(400)
    @given(
        st.sampled_from(PACKED),
        st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=8)), max_size=5),
        st.integers(0, 1 << 20),
    )
    def test_a_changed_archive_is_imported_or_refused_shortly(self, packed, changes, cut):
        raw = bytearray(packed)
        for at, new in changes:
            raw[at % len(raw) : at % len(raw) + len(new)] = new
        raw = raw[: cut % len(raw)] if cut % 3 == 0 else raw
        imported_or_refused(bytes(raw), "bot.zip")

    @examples(300)
    @given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08"]), st.text())
    @example(b"", b"", "\x01" * 100_000)
    @example(b"x", b"", "\x01" * 100_000 + ".py")
    def test_any_bytes_under_any_name(self, raw, magic, filename):
        imported_or_refused(magic + raw, filename)

    @examples(200)
    @given(st.dictionaries(st.text(min_size=1, max_size=1200), st.binary(max_size=40), max_size=6))
    @example({"\x01" * 1200: b""})
    @example({"d/" * 600: b"", "😀" * 300: b""})
    def test_any_names(self, files):
        try:
            packed = zipped(files)
        except (UnicodeError, ValueError):
            return
        imported_or_refused(packed, "bot.zip")

    @examples(200)
    @given(st.one_of(st.binary(max_size=400), st.text(alphabet="a.=[]{}\"'\n0x1 ", max_size=400)))
    def test_any_manifest(self, manifest):
        raw = manifest if isinstance(manifest, bytes) else manifest.encode()
        imported_or_refused(zipped(FILES | {"rensho.toml": raw}), "bot.zip")
