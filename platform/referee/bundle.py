"""Bundles of bots: converts uploads to a canonical form, which is identified by its hash.

Canonical form: an uncompressed ustar of the regular files, sorted by path, mode 0644, owner 0, time 0.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import tomllib
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from engine.refusals import clipped, quoted
from referee.archive_limits import special_file_error, too_large_error
from referee.archives import (
    MAX_ARCHIVE_BYTES,
    MAX_MEMBERS,
    Member,
    Meter,
    check_size,
    checked_members,
    members,
    too_many_files_error,
)
from referee.errors import BundleError
from referee.parameters import Parameter, ParameterError, parse_parameters
from referee.runtimes import DEFAULT_RUNTIME, Recipe, all_recipes
from referee.text_files import TextFileError, text_decoded

MANIFEST = "rensho.toml"
MANIFEST_BYTES = 16 << 10
MANIFEST_DOTS = 200
"""Maximum dots in one line: parsing a key of n parts takes time proportional to n², and no key needs many."""
NAME_CHARACTERS = 60
PATH_BYTES = 150
"""Length that fits a ustar header wherever the slashes are."""
PART_BYTES = 100
MAX_FOLDERS = 4
IGNORED_NAMES = frozenset(
    (
        "__pycache__",
        "__MACOSX",
        ".DS_Store",
        ".git",
        ".hg",
        ".idea",
        ".venv",
        ".vscode",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    )
)
"""Files and folders that get into archives by accident; never part of a bundle."""

ERROR_CHARS = 200
"""Maximum length of a quoted parser message."""
MAX_LISTED_FILES = 20
MAX_LIST_CHARS = 200
"""Maximum length of a list of files in a message."""

_TEXTS = ("name", "runtime", "entry_point")
_EXAMPLE = 'name = "mine"\nruntime = "python/1"\nentry_point = "main.py"'


class Manifest(NamedTuple):
    name: str
    runtime: str
    entry_point: str
    """Path of a file of the bundle."""
    preset: str = ""
    """Preset of rules that the bot is for; empty if it names none."""
    parameters: tuple[Parameter, ...] = ()
    """Tunable numbers with their defaults."""


class Bundle(NamedTuple):
    data: bytes
    sha256: str
    manifest: Manifest
    files: tuple[str, ...]


def import_archive(data: bytes, filename: str, meter: Meter | None = None) -> Bundle:
    """Return the bundle of an uploaded zip or single ``.py`` file, with the limits of ``meter``.

    Raise ``BundleError`` if it is rejected; ``code`` is stable, the message has the remedy.
    """
    return _bundle(members(data, filename, meter), filename)


def import_folder(folder: Path) -> Bundle:
    """Return the bundle of a folder, as of an archive of its files, or raise ``BundleError``."""
    return _bundle(checked_members(_folder_members(folder)), folder.name)


def import_path(path: Path) -> Bundle:
    """Return the bundle of a folder, archive or single ``.py`` file, or raise ``BundleError``."""
    if path.is_dir():
        return import_folder(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_ARCHIVE_BYTES + 1)
        if len(data) > MAX_ARCHIVE_BYTES:
            raise too_large_error(
                f"{quoted(str(path), PATH_BYTES)} is larger than allowed", MAX_ARCHIVE_BYTES
            )
        return import_archive(data, path.name)
    except OSError as error:
        raise BundleError(
            "not_an_archive",
            f"cannot read {quoted(str(path), PATH_BYTES)}: {error.strerror}",
            is_unreadable=True,
        ) from error


def read_bundle(data: bytes) -> Bundle:
    """Return the bundle with these bytes, or raise ``BundleError`` if they are not canonical."""
    bundle = _bundle(checked_members(Member(*file) for file in bundle_files(data).items()), MANIFEST)
    if bundle.data != data:
        raise _not_canonical()
    return bundle


def bundle_files(data: bytes) -> dict[str, bytes]:
    """Return the files of a stored bundle by path, or raise ``BundleError`` if it is not canonical."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            files = {
                member.name: archive.extractfile(member).read()  # type: ignore[union-attr]
                for member in archive
                if member.isreg() and not member.issparse()
            }
        if _canonical(files) != data:
            raise _not_canonical()
    except (tarfile.TarError, ValueError) as error:
        raise _not_canonical() from error
    return files


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files, ready for upload."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _not_canonical() -> BundleError:
    return BundleError("not_canonical", "these are not the bytes of a bundle: import the archive again")


def with_parameters(bundle: Bundle, values: Mapping[str, float]) -> Bundle:
    """Return the same bot with other default parameters, which the caller validates: another bundle."""
    files = bundle_files(bundle.data)
    manifest = bundle.manifest._replace(
        parameters=tuple(
            each._replace(default=values.get(each.name, each.default)) for each in bundle.manifest.parameters
        )
    )
    files[MANIFEST] = _manifest_text(manifest).encode()
    data = _canonical(files)
    return Bundle(data, hashlib.sha256(data).hexdigest(), manifest, bundle.files)


def unpack(data: bytes, dest: Path) -> None:
    """Write the files of a canonical bundle into ``dest``, a new folder.

    Readable for everybody, not writable: folders 0755, files 0444, an entry point that is the program 0555.
    Raise ``BundleError`` if these are not the bytes of a bundle, ``OSError`` if the files cannot be written.
    """
    files = bundle_files(data)
    for name in files:
        if _checked_path(name) != name:
            raise BundleError(
                "not_canonical", f"{quoted(name)} is not a path of a bundle: import the archive again"
            )
    manifest = _manifest(files)
    program = manifest.entry_point if all_recipes()[manifest.runtime].starts_entry_point else None
    dest.mkdir(mode=0o755)
    dest.chmod(0o755)
    for name, content in files.items():
        path = dest / name
        for folder in reversed(path.relative_to(dest).parents[:-1]):
            (dest / folder).mkdir(mode=0o755, exist_ok=True)
            (dest / folder).chmod(0o755)
        mode = 0o555 if name == program else 0o444
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            os.fchmod(fd, mode)


def program_machine(bundle: Bundle) -> str:
    """Return the machine that the bot's program requires, such as ``x86_64``; empty for any.

    Raise ``BundleError`` if the entry point is not a program that can run.
    """
    return _machine(bundle.manifest, bundle_files(bundle.data))


def _bundle(archive_members: Iterable[Member], filename: str) -> Bundle:
    files = _without_wrapper(_checked_files(archive_members))
    if list(files) == [_lone_name(filename)]:
        (entry_point,) = files
        manifest = Manifest(PurePosixPath(entry_point).stem[:NAME_CHARACTERS], DEFAULT_RUNTIME, entry_point)
        files[MANIFEST] = _manifest_text(manifest).encode()
    manifest = _manifest(files)
    _machine(manifest, files)
    data = _canonical(files)
    return Bundle(data, hashlib.sha256(data).hexdigest(), manifest, tuple(sorted(files)))


def _manifest_text(manifest: Manifest) -> str:
    fields = [*_TEXTS, *(["preset"] if manifest.preset else [])]
    texts = [f"{field} = {json.dumps(getattr(manifest, field), ensure_ascii=False)}" for field in fields]
    if manifest.parameters:
        texts += ["", "[parameters]", *(parameter.toml_line() for parameter in manifest.parameters)]
    return "".join(f"{line}\n" for line in texts)


def _lone_name(filename: str) -> str | None:
    name = filename.replace("\\", "/").rpartition("/")[2]
    return name if name.endswith(".py") else None


def _checked_files(archive_members: Iterable[Member]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    folded: dict[str, str] = {}
    for name, content in archive_members:
        if not IGNORED_NAMES.isdisjoint(name.split("/")):
            continue
        path = _checked_path(name)
        # Some file systems, and people, cannot distinguish such names.
        alike = unicodedata.normalize("NFKC", path).casefold()
        if alike in folded:
            raise BundleError(
                "duplicate",
                f"files {_quoted_path(folded[alike])} and {_quoted_path(path)} have the same name: "
                "rename one",
            )
        folded[alike] = path
        files[path] = content
        if len(files) > MAX_MEMBERS:
            raise too_many_files_error()
    folders = {str(parent) for path in folded for parent in PurePosixPath(path).parents}
    for alike, path in folded.items():
        if alike in folders:
            raise BundleError("duplicate", f"{_quoted_path(path)} is both a file and a folder: rename one")
    if not files:
        raise BundleError("empty", "the archive holds no files: put in the bot and its rensho.toml")
    return files


def _checked_path(name: str) -> str:
    path = name.removeprefix("./")
    parts = path.split("/")
    if not path or path.startswith("/") or "" in parts or "." in parts or ".." in parts or ":" in parts[0]:
        raise BundleError(
            "unsafe_path", f"path {quoted(name)} leads outside the bot's folder: use plain relative paths"
        )
    if "\\" in path or not path.isprintable() or any(part != part.strip() for part in parts):
        raise BundleError(
            "unsafe_path",
            f"path {quoted(name)} has a backslash, outer blanks, or an unprintable character (a control "
            "character, a wide blank, bytes that are not UTF-8): rename it",
        )
    if len(path.encode()) > PATH_BYTES or any(len(part.encode()) > PART_BYTES for part in parts):
        raise BundleError(
            "path_too_long",
            f"path {quoted(name)} is longer than {PATH_BYTES} bytes, or a part than {PART_BYTES}: shorten it",
        )
    if len(parts) > MAX_FOLDERS + 2:
        raise _too_deep(name)
    return path


def _quoted_path(path: str) -> str:
    return quoted(path, PATH_BYTES)


def _too_deep(name: str) -> BundleError:
    return BundleError(
        "too_deep", f"file {_quoted_path(name)} lies more than {MAX_FOLDERS} folders deep: move it up"
    )


def _without_wrapper(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files without a single top folder around them all."""
    tops = {path.partition("/")[0] for path in files}
    if MANIFEST not in files and len(tops) == 1 and f"{next(iter(tops))}/{MANIFEST}" in files:
        files = {path.partition("/")[2]: content for path, content in files.items()}
    for path in files:
        if path.count("/") > MAX_FOLDERS:
            raise _too_deep(path)
    return files


def _manifest(files: Mapping[str, bytes]) -> Manifest:
    if MANIFEST not in files:
        raise _no_manifest(files)
    raw = files[MANIFEST]
    if len(raw) > MANIFEST_BYTES:
        raise BundleError("bad_manifest", f"{MANIFEST} is larger than {MANIFEST_BYTES} bytes: shorten it")
    if any(line.count(b".") > MANIFEST_DOTS for line in raw.splitlines()):
        raise BundleError(
            "bad_manifest",
            f"{MANIFEST} has a line with more than {MANIFEST_DOTS} dots: write plain fields like\n{_EXAMPLE}",
        )
    try:
        fields = tomllib.loads(text_decoded(raw, MANIFEST))
    except TextFileError as error:
        raise BundleError("bad_manifest", str(error)) from None
    except (ValueError, RecursionError) as error:
        raise BundleError(
            "bad_manifest",
            f"{MANIFEST} cannot be read: {clipped(str(error), ERROR_CHARS)}; write it like\n{_EXAMPLE}",
        ) from error
    unknown = sorted(fields.keys() - set(Manifest._fields))
    if unknown:
        raise BundleError(
            "bad_manifest",
            f"{MANIFEST} has an unknown field {quoted(unknown[0])}: "
            f"it may have {', '.join(Manifest._fields)}",
        )
    texts = {}
    for field in (*_TEXTS, *(["preset"] if "preset" in fields else [])):
        value = fields.get(field)
        if not isinstance(value, str) or not value.strip() or not _is_line(value):
            code = "no_entry_point" if field == "entry_point" and value is None else "bad_manifest"
            fault = f"{MANIFEST} needs {field} as text of printable characters on one line, not empty"
            raise BundleError(code, f"{fault}: write one like\n{_EXAMPLE}")
        texts[field] = value
    try:
        parameters = parse_parameters(fields.get("parameters", {}))
        manifest = Manifest(parameters=parameters, **texts)
    except ParameterError as error:
        raise BundleError("bad_manifest", f"{MANIFEST}: {error}") from None
    if len(manifest.name) > NAME_CHARACTERS:
        raise BundleError(
            "bad_manifest", f"the name in {MANIFEST} is longer than {NAME_CHARACTERS} characters: shorten it"
        )
    recipes = all_recipes()
    if manifest.runtime not in recipes:
        raise BundleError(
            "unknown_runtime", f"there is no runtime {quoted(manifest.runtime)}: use {' or '.join(recipes)}"
        )
    _check_entry_point(manifest, files, recipes[manifest.runtime])
    return manifest


def _check_entry_point(manifest: Manifest, files: Mapping[str, bytes], recipe: Recipe) -> None:
    entry_point, suffixes = manifest.entry_point, recipe.entry_suffixes
    fitting = sorted(path for path in files if path != MANIFEST and (not suffixes or path.endswith(suffixes)))
    if entry_point in fitting:
        return
    named = _quoted_path(entry_point)
    if entry_point in files:
        kind = " or ".join(suffixes) or "program"
        raise BundleError.explained(
            "entry_point_kind", entry_point=named, kind=kind, runtime=manifest.runtime
        )
    if not fitting:
        raise BundleError.explained("entry_point_missing", entry_point=named)
    key = "entry_point_unbuilt" if recipe.starts_entry_point else "entry_point_other"
    raise BundleError.explained(key, entry_point=named, files=_abbreviated_list(fitting))


def _no_manifest(files: Mapping[str, bytes]) -> BundleError:
    """Return the refusal, with the correct location of a misnamed or misplaced manifest."""
    names = (MANIFEST, f"{MANIFEST}.txt")
    meant = [path for path in files if PurePosixPath(path).name.casefold() in names]
    if not meant:
        return BundleError("no_manifest", f"{MANIFEST} is missing: add one like\n{_EXAMPLE}")
    path = min(meant, key=lambda path: (path.count("/"), path))
    folder, _, name = path.rpartition("/")
    remedies = [f"rename it to {MANIFEST}"] if name != MANIFEST else []
    if "/" in folder or any(not other.startswith(f"{folder}/") for other in files if folder):
        remedies.append(f"pack the files in {_quoted_path(folder)}, not the folders around them")
    return BundleError(
        "no_manifest",
        f"{MANIFEST} must be at the top of the archive, or in the one folder that holds everything; found "
        f"{_quoted_path(path)}: {' and '.join(remedies)}",
    )


def _is_line(text: str) -> bool:
    """Return whether a text has neither control characters nor line breaks."""
    return all(unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") for character in text)


def _abbreviated_list(names: Sequence[str]) -> str:
    listed = ", ".join(names[:MAX_LISTED_FILES])
    return (
        listed
        if len(names) <= MAX_LISTED_FILES and len(listed) <= MAX_LIST_CHARS
        else f"{listed[:MAX_LIST_CHARS]}..."
    )


def _machine(manifest: Manifest, files: Mapping[str, bytes]) -> str:
    machine_of = all_recipes()[manifest.runtime].machine_of
    if machine_of is None:
        return ""
    try:
        return machine_of(files[manifest.entry_point])
    except ValueError as error:
        raise BundleError(
            "not_static_elf",
            f"{_quoted_path(manifest.entry_point)} is not a self-contained program: {error}; link it with "
            "everything it needs (gcc -static; docs/runtimes.md has other languages)",
        ) from error


def _canonical(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT, encoding="utf-8") as archive:
        for path in sorted(files):
            member = tarfile.TarInfo(path)
            member.size = len(files[path])
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(files[path]))
    return out.getvalue()


def _folder_members(folder: Path) -> Iterable[Member]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in IGNORED_NAMES)
        for name in sorted(names + [link for link in folders if Path(where, link).is_symlink()]):
            path = Path(where, name)
            inside = path.relative_to(folder).as_posix()
            if name in IGNORED_NAMES:
                continue
            if path.is_symlink():
                raise special_file_error(inside, "a symbolic link")
            if not path.is_file():
                raise special_file_error(inside, "no regular file")
            check_size(inside, path.stat().st_size)
            yield Member(inside, path.read_bytes())
