"""Uploads become bundles, or are refused with a code and a sentence; nothing gets out of its folder."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from referee.archives import MAX_ARCHIVE_BYTES, MAX_MEMBER_BYTES, MAX_TOTAL_BYTES
from referee.bundle import (
    Manifest,
    bundle_files,
    import_archive,
    import_folder,
    import_path,
    read_bundle,
    unpack,
    zip_files,
)
from referee.errors import BundleError
from tests.referee.archives import FILES, MANIFEST, gzipped, tarred, zipped
from tests.refusals import refusal as refused


def refusal(data, filename="bot.zip"):
    return refused(BundleError, import_archive, data, filename)


class TestTheSameBotIsTheSameBundle:
    def test_however_it_is_packed(self, tmp_path):
        folder = tmp_path / "mine"
        (folder / "lib").mkdir(parents=True)
        for name, data in FILES.items():
            (folder / name).write_bytes(data)
        backwards = dict(reversed(FILES.items()))
        bundles = [
            import_archive(zipped(FILES), "bot.zip"),
            import_archive(zipped(backwards, compression=zipfile.ZIP_STORED), "bot.zip"),
            import_archive(zipped({f"mine/{name}": data for name, data in FILES.items()}), "bot.zip"),
            import_archive(zipped({f"./{name}": data for name, data in FILES.items()}), "bot.zip"),
            import_archive(zipped(FILES | {"__pycache__/main.pyc": b"x", ".DS_Store": b"y"}), "bot.zip"),
            import_folder(folder),
            import_path(folder),
        ]
        assert len({bundle.sha256 for bundle in bundles}) == 1
        bundle = bundles[0]
        assert bundle.files == ("lib/strategy.py", "main.py", "rensho.toml")
        assert bundle.manifest == Manifest("mine", "python/1", "main.py")
        assert bundle.sha256 == hashlib.sha256(bundle.data).hexdigest()

    def test_its_bytes_are_the_canonical_ones_forever(self):
        # A change here makes every stored bundle unreadable under its hash.
        bundle = import_archive(zipped(FILES), "bot.zip")
        assert bundle.sha256 == "ac26115bf8043ae144dd5e7dab261104f227452cd07d75146b5f40c9664c9855"
        with tarfile.open(fileobj=io.BytesIO(bundle.data)) as archive:
            members = archive.getmembers()
        assert [member.name for member in members] == sorted(FILES)
        assert {(m.mode, m.uid, m.gid, m.mtime, m.uname) for m in members} == {(0o644, 0, 0, 0, "")}

    def test_importing_it_again_changes_nothing(self):
        bundle = import_archive(zipped(FILES), "bot.zip")
        files = bundle_files(bundle.data)
        assert files == FILES
        assert import_archive(zip_files(files), "bot.zip") == bundle == read_bundle(bundle.data)

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"x" * 5000,
            tarred(FILES),
            tarred(FILES, format=tarfile.GNU_FORMAT),
            tarred({"a" * 300: b""}),
            tarred({}, links={"s": (tarfile.SYMTYPE, "/etc/passwd")}),
            tarred({}, links={"p": (tarfile.GNUTYPE_SPARSE, "")}),
            gzipped(import_archive(zipped(FILES), "bot.zip").data),
            import_archive(zipped(FILES), "bot.zip").data[:-512],
            import_archive(zipped(FILES), "bot.zip").data + bytes(512),
        ],
    )
    def test_only_canonical_bytes_are_read_as_a_bundle(self, data):
        for read in (read_bundle, bundle_files):
            assert refused(BundleError, read, data).code == "not_canonical"

    def test_long_and_foreign_names_survive(self):
        names = {f"{'a' * 60}/{'b' * 80}.py": b"1", "小松/é.py": b"2"}
        bundle = import_archive(zipped(FILES | names), "bot")
        assert set(names) < set(bundle.files)
        assert read_bundle(bundle.data) == bundle


class TestASingleFile:
    def test_a_mark_of_utf_8_before_the_manifest_is_passed_over(self):
        marked = FILES | {"rensho.toml": b"\xef\xbb\xbf" + MANIFEST}
        assert import_archive(zipped(marked), "bot.zip").manifest.name == "mine"

    def test_it_gets_a_manifest(self):
        bundle = import_archive(b"print()\n", "C:\\bots\\my bot.py")
        assert bundle.manifest == Manifest("my bot", "python/1", "my bot.py")
        assert bundle.files == ("my bot.py", "rensho.toml")
        assert read_bundle(bundle.data) == bundle

    def test_a_quote_in_its_name_is_no_trick(self):
        bundle = import_archive(b"", 'a"\nb.py'.replace("\n", "'"))
        assert read_bundle(bundle.data).manifest.entry_point == "a\"'b.py"


REFUSED = [
    ("not_an_archive", b"hello", True),
    ("not_an_archive", b"", True),
    ("damaged", zipped(FILES)[:-30], True),
    ("damaged", zipped(FILES)[:-18] + b"\1" + zipped(FILES)[-17:], True),
    ("damaged", zipped(FILES)[:-6] + b"\xff\xff\xff\0" + zipped(FILES)[-2:], True),
    (
        "too_large",
        lambda: zipped({"a": bytes(MAX_MEMBER_BYTES), "b": bytes(MAX_MEMBER_BYTES), "c": b"1"}),
        True,
    ),
    (
        "damaged",
        zipped(FILES).replace(b"PK\x03\x04", b"PK\x03\x05")[:4].replace(b"\x05", b"\x04") + b"x" * 99,
        True,
    ),
    ("empty", zipped({}), False),
    ("empty", zipped({"__pycache__/x.pyc": b""}), False),
    ("unsafe_path", zipped(FILES | {"../evil.py": b""}), False),
    ("unsafe_path", zipped(FILES | {"/etc/evil": b""}), False),
    ("unsafe_path", zipped(FILES | {"a/../../evil": b""}), False),
    ("unsafe_path", zipped(FILES | {"a//b": b""}), False),
    ("unsafe_path", zipped(FILES | {"C:evil": b""}), False),
    ("unsafe_path", zipped(FILES | {"..\\evil.py": b""}), False),
    ("unsafe_path", zipped(FILES | {"C:\\evil.py": b""}), False),
    ("unsafe_path", zipped(FILES | {"\\\\host\\evil.py": b""}), False),
    ("duplicate", zipped(FILES | {"lib\\strategy.py": b""}), False),
    ("unsafe_path", zipped(FILES | {"a\x1b[31m": b""}), False),
    ("unsafe_path", zipped(FILES | {"a\nb": b""}), False),
    ("unsafe_path", zipped(FILES | {" a": b""}), False),
    ("unsafe_path", zipped(FILES | {"x\u202ey": b""}), False),
    ("path_too_long", zipped(FILES | {"/".join(["d" * 60] * 3): b""}), False),
    ("path_too_long", zipped(FILES | {"d" * 101: b""}), False),
    ("too_deep", zipped(FILES | {"a/b/c/d/e/f.py": b""}), False),
    ("too_deep", zipped(FILES | {"a/b/c/d/e/f/g/h.py": b""}), False),
    ("duplicate", zipped(FILES | {"MAIN.py": b""}), False),
    ("duplicate", zipped(FILES | {"main.py/x": b""}), False),
    ("duplicate", zipped(FILES | {"./main.py": b""}), False),
    ("duplicate", zipped(FILES | {"e\u0301.py": b"", "\u00e9.py": b""}), False),
    ("link", zipped(FILES | {"s": b"/etc/passwd"}, modes={"s": stat.S_IFLNK | 0o777}), False),
    ("special_file", zipped(FILES | {"p": b""}, modes={"p": stat.S_IFIFO | 0o666}), False),
    ("too_many_files", zipped(FILES | {f"f{n}": b"" for n in range(198)}), False),
    ("unknown_compression", zipped(FILES, compression=zipfile.ZIP_LZMA), False),
    ("no_manifest", zipped({"main.py": b""}), False),
    ("no_manifest", zipped({"a/main.py": b"", "b/rensho.toml": MANIFEST}), False),
    ("no_manifest", zipped({"main.py": b"", "Rensho.toml": MANIFEST}), False),
    ("no_manifest", zipped({"main.py": b"", "rensho.toml.txt": MANIFEST}), False),
    ("no_manifest", zipped({"a/b/main.py": b"", "a/b/rensho.toml": MANIFEST}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": MANIFEST.decode().encode("utf-16")}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": b"name = "}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": b"\xff"}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": b"#" * 20_000}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": b"a = " + b"[" * 8000}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": MANIFEST.replace(b'"mine"', b"7")}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": MANIFEST.replace(b"mine", b"m" * 61)}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": MANIFEST.replace(b"mine", b"a\\nb")}), False),
    ("bad_manifest", zipped(FILES | {"rensho.toml": MANIFEST + b"colour = 1\n"}), False),
    ("unknown_runtime", zipped(FILES | {"rensho.toml": MANIFEST.replace(b"python/1", b"cobol/7")}), False),
    ("no_entry_point", zipped(FILES | {"rensho.toml": MANIFEST.replace(b"main.py", b"mian.py")}), False),
    ("no_entry_point", zipped(FILES | {"rensho.toml": b'name = "n"\nruntime = "python/1"\n'}), False),
    ("no_entry_point", zipped(FILES | {"rensho.toml": MANIFEST.replace(b"main.py", b"rensho.toml")}), False),
]


@pytest.mark.parametrize(
    ("runtime", "entry_point", "explanation", "files"),
    [
        ("python/1", "mian.py", "entry_point_other", "main.py"),
        ("python/1", "notes.txt", "entry_point_kind", None),
        ("node/1", "main.js", "entry_point_missing", None),
        ("binary/1", "bot", "entry_point_unbuilt", "main.py, notes.txt"),
    ],
)
def test_an_entry_point_that_cannot_start_names_the_files_that_can(runtime, entry_point, explanation, files):
    manifest = f'name = "x"\nruntime = "{runtime}"\nentry_point = "{entry_point}"\n'.encode()
    data = zipped({"rensho.toml": manifest, "main.py": b"", "notes.txt": b""})
    error = refusal(data)
    assert (error.code, error.explanation, error.values.get("files")) == (
        "no_entry_point",
        explanation,
        files,
    )


@pytest.mark.parametrize(("code", "data", "is_unreadable"), REFUSED, ids=[code for code, _, _ in REFUSED])
def test_what_is_no_bot_is_refused_with_a_code_and_what_to_change(code, data, is_unreadable):
    error = refusal(data() if callable(data) else data)
    assert (error.code, error.is_unreadable) == (code, is_unreadable)
    assert ":" in error.message
    assert error.message.isprintable() or code == "no_manifest" or code.startswith(("bad_", "no_"))


@pytest.mark.parametrize(
    ("names", "remedy"),
    [
        (("main.py", "Rensho.toml"), "rensho.toml"),
        (("main.py", "rensho.toml.txt"), "rensho.toml"),
        (("x/main.py", "x/RENSHO.TOML"), "rensho.toml"),
        (("a/b/main.py", "a/b/rensho.toml"), "'a/b'"),
        (("a/main.py", "b/rensho.toml"), "'b'"),
    ],
)
def test_a_file_that_was_meant_as_the_manifest_is_named(names, remedy):
    error = refusal(zipped(dict.fromkeys(names, MANIFEST)))
    assert error.code == "no_manifest"
    assert repr(names[-1]) in error.message
    assert remedy in error.message


def test_backslashes_separate_folders():
    data = zipped(
        {f"mine\\{name}".replace("/", "\\"): data for name, data in FILES.items()} | {"mine\\": b""}
    )
    assert import_archive(data, "bot.zip") == import_archive(zipped(FILES), "bot.zip")


def test_a_manifest_may_have_a_byte_order_mark_and_a_name_in_any_script():
    name = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469"
    manifest = b"\xef\xbb\xbf" + MANIFEST.decode().replace("mine", name).encode()
    assert import_archive(zipped(FILES | {"rensho.toml": manifest}), "bot.zip").manifest.name == name


@pytest.mark.parametrize(
    ("files", "links", "code"),
    [
        ({"big": bytes(MAX_MEMBER_BYTES + 1)}, {}, "too_large"),
        ({}, {"p": stat.S_IFIFO}, "special_file"),
        ({}, {"s": stat.S_IFLNK}, "link"),
        ({"\u3000a": b""}, {}, "unsafe_path"),
    ],
)
def test_a_folder_and_a_zip_of_it_are_refused_alike(files, links, code, tmp_path):
    packed = zipped(
        {f"./{name}": data for name, data in (FILES | files | dict.fromkeys(links, b"x")).items()},
        modes={f"./{name}": kind | 0o666 for name, kind in links.items()},
    )
    (tmp_path / "lib").mkdir()
    for name, data in (FILES | files).items():
        (tmp_path / name).write_bytes(data)
    for name, kind in links.items():
        if kind == stat.S_IFIFO:
            os.mkfifo(tmp_path / name)
        else:
            (tmp_path / name).symlink_to("x")
    of_folder, of_zip = refused(BundleError, import_folder, tmp_path), refusal(packed)
    assert of_folder.code == of_zip.code == code
    assert "./" not in of_zip.message or "\u3000a" in files  # a path is quoted as it is packed


@pytest.mark.parametrize("filename", ["bot.tar.gz", "bot.py"])
@pytest.mark.parametrize(
    "data",
    [
        tarred(FILES),
        tarred(FILES, format=tarfile.GNU_FORMAT),
        gzipped(tarred(FILES)),
        gzipped(b"")[:-9],
        b"\xfd7zXZ\0" + bytes(100),
    ],
)
def test_another_format_is_refused_whatever_its_name(data, filename):
    error = refusal(data, filename)
    assert (error.code, error.is_unreadable) == ("not_an_archive", True)
    assert any(kind in error.message for kind in ("tar", "gzip", "xz"))


def test_a_program_may_mention_tar_where_an_archive_names_itself():
    source = b"#".ljust(257, b"-") + b"ustar\n"
    assert import_archive(source, "bot.py").files == ("bot.py", "rensho.toml")


class TestBombs:
    def test_a_size_in_the_header_is_not_believed(self):
        honest = zipped({"rensho.toml": MANIFEST, "zeros": bytes(MAX_MEMBER_BYTES + 1)})
        lying = honest.replace((MAX_MEMBER_BYTES + 1).to_bytes(4, "little"), (5).to_bytes(4, "little"))
        assert lying != honest
        assert refusal(lying).code in {"too_large", "damaged"}

    def test_more_bytes_than_any_bot_may_have(self):
        assert refusal(b"PK\x03\x04" + bytes(MAX_ARCHIVE_BYTES)).code == "too_large"

    def test_just_within_the_limits(self):
        files = FILES | {"a": bytes(MAX_MEMBER_BYTES), "b": bytes(MAX_TOTAL_BYTES - MAX_MEMBER_BYTES - 200)}
        assert len(import_archive(zipped(files), "bot.zip").files) == 5


def test_an_encrypted_zip_is_refused():
    data = bytearray(zipped(FILES))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(magic, at + 1)
    assert refusal(bytes(data)).code == "encrypted"


def test_a_link_to_a_folder_and_what_is_not_there_are_refused(tmp_path):
    (tmp_path / "d").symlink_to("/etc")
    assert refused(BundleError, import_folder, tmp_path).code == "link"
    assert "nothing.zip" in str(refused(BundleError, import_path, tmp_path / "nothing.zip"))


def test_a_file_without_an_end_is_not_read_to_it():
    assert refused(BundleError, import_path, Path("/dev/zero")).code == "too_large"


class TestUnpack:
    def test_files_are_readable_by_all_and_writable_by_nobody(self, tmp_path):
        bundle = import_archive(zipped(FILES), "bot.zip")
        umask = os.umask(0o077)
        try:
            unpack(bundle.data, tmp_path / "bot")
        finally:
            os.umask(umask)
        assert {p.relative_to(tmp_path / "bot").as_posix() for p in (tmp_path / "bot").rglob("*.*")} == set(
            FILES
        )
        for path in (tmp_path / "bot").rglob("*"):
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o755 if path.is_dir() else 0o444)
        assert (tmp_path / "bot" / "main.py").read_bytes() == FILES["main.py"]

    def test_it_never_writes_over_anything(self, tmp_path):
        bundle = import_archive(zipped(FILES), "bot.zip")
        refused(FileExistsError, unpack, bundle.data, tmp_path)

    def test_bytes_that_are_no_bundle_write_nothing_outside(self, tmp_path):
        for name in ("../evil", "/tmp/evil", "./x"):
            refused(BundleError, unpack, tarred({name: b"x"}), tmp_path / "bot")
        assert list(tmp_path.iterdir()) == []
