"""``rensho pull``: download records, logs and faults incrementally into a folder."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from bots.kit.client.errors import Refused
from bots.kit.display.console import print_lines, print_note, print_result, progress_bar
from bots.kit.errors import CHECK_FAILED, DONE, EnvironmentFailure, InvalidInput
from bots.kit.files import write_atomic
from bots.kit.replay.bot_names import INDEX
from bots.kit.server.account import connect
from bots.kit.server.arguments import add_tournament
from bots.kit.server.pull_plan import PullItem, PullScope, pull_items
from bots.kit.server.version_lookup import find_versions
from bots.kit.subcommands import Commands, add_command
from engine.printable import file_name_part
from engine.refusals import quoted

FORMAT = "rensho-pull/1"
DEFAULT_FOLDER = "pulled"
MAX_RETRY_AFTER_S = 120
"""Maximum Retry-After that is waited for, in seconds. Longer than usual, because a pull may be slow."""
FILES_PER_SAVE = 100
"""Files after which the index is saved, so that a killed pull can continue."""
_SHA256 = re.compile(r'(?:W/)?"([0-9a-f]{64})"')

IndexEntry = dict[str, Any]
"""Entry of the index: path, kind, sha256, bytes and origin."""


def register(commands: Commands) -> None:
    pull = add_command(
        commands,
        "pull",
        "download records, logs and faults in bulk",
        _pull,
        description="Download the records of a tournament's closed rounds, or of a bot's own tables, with "
        "your own logs and fault files, into a folder. Only missing and changed files are downloaded.",
    )
    add_tournament(pull, nargs="?", more_help="; with --bot only that one")
    help_text = "only tables of this bot: its name, the id of a bot or a version, or the address of its page"
    pull.add_argument("--bot", metavar="BOT", help=help_text)
    pull.add_argument(
        "--into",
        metavar="FOLDER",
        type=Path,
        default=Path(DEFAULT_FOLDER),
        help="target folder (%(default)s)",
    )


def _pull(arguments: argparse.Namespace) -> int:
    if arguments.tournament is None and arguments.bot is None:
        raise InvalidInput("choose what to pull: rensho pull TOURNAMENT, or rensho pull --bot BOT")
    folder: Path = arguments.into
    index = PullIndex(folder)
    counts: Counter[str] = Counter()
    missing: list[str] = []
    with connect(needs_account=arguments.bot is not None, max_retry_after_s=MAX_RETRY_AFTER_S) as client:
        index.require_server(client.url)
        versions = find_versions(client, arguments.bot) if arguments.bot else None
        pull_list = list(pull_items(client, PullScope(arguments.tournament, versions), print_note))
        try:
            with progress_bar("Pulling", len(pull_list), counts_bytes=False) as advance:
                for item in pull_list:
                    try:
                        counts[index.update(item)] += 1
                    except Refused as refusal:
                        if refusal.http_status not in (404, 423):
                            raise
                        missing.append(item.path)
                        print_note(f"{item.path}: {refusal}")
                    advance(1)
        finally:
            index.save()
    line = f"{folder}: {counts['new']} new, {counts['changed']} changed, {counts['known']} unchanged"
    line += f", {len(missing)} not available." if missing else "."
    numbers = {name: counts[name] for name in ("new", "changed", "known")}
    print_result(
        arguments,
        {"folder": str(folder), "index": str(folder / INDEX), **numbers, "missing": missing},
        lambda: print_lines(line),
    )
    return CHECK_FAILED if missing else DONE


class PullIndex:
    """Index of a folder (index.json), by path. Files are checked against it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ""
        self.files: dict[str, IndexEntry] = {}
        self._unsaved = 0
        self._read()

    def _read(self) -> None:
        path = self.folder / INDEX
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != FORMAT:
                raise InvalidInput(f"{path} does not have the format {FORMAT}: pull into another folder")
            self.server = str(document["server"])
            self.files = {str(file["path"]): dict(file) for file in document["files"]}
        except FileNotFoundError:
            return
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            raise InvalidInput(f"cannot use {path}: remove it, or pull into another folder") from None

    def require_server(self, server: str) -> None:
        """Bind the folder to this server. Raise ``InvalidInput`` if it has files of another server."""
        if self.server and self.server != server:
            raise InvalidInput(f"{self.folder} has files of {self.server}: pull into another folder")
        self.server = server

    def update(self, item: PullItem) -> str:
        """Fetch a file unless it is current. Returns ``known``, ``new`` or ``changed``.

        Raise ``Refused`` if the server rejects the request, ``EnvironmentFailure`` if the file arrived
        damaged, or cannot be written.
        """
        if any(part != file_name_part(part, "") for part in item.path.split("/")):
            raise EnvironmentFailure(
                f"{self.server} sent the unsafe file name {quoted(item.path)}: nothing was written"
            )
        known = self.files.get(item.path)
        sha256 = str(known["sha256"]) if known is not None and self._is_whole(known) else ""
        if sha256 and item.is_settled and known is not None and _is_current(known, item):
            return "known"
        answer = item.fetch(f'"{sha256}"' if sha256 else "")
        if answer is None:
            self._note(item, sha256)
            return "known"
        data, etag = answer
        fetched = hashlib.sha256(data).hexdigest()
        promised = _SHA256.fullmatch(etag)
        if promised and promised[1] != fetched:
            raise EnvironmentFailure(f"{item.path} arrived damaged (sha256 {fetched}): pull again")
        if fetched != sha256:
            write_atomic(self.folder / item.path, data)
        self._note(item, fetched)
        if fetched == sha256:
            return "known"
        return "new" if known is None else "changed"

    def _is_whole(self, file: IndexEntry) -> bool:
        """Return whether the file has the recorded hash."""
        try:
            data = (self.folder / str(file["path"])).read_bytes()
        except OSError:
            return False
        return hashlib.sha256(data).hexdigest() == str(file["sha256"])

    def _note(self, item: PullItem, sha256: str) -> None:
        length = (self.folder / item.path).stat().st_size
        file = {"path": item.path, "kind": item.kind, "sha256": sha256, "bytes": length, **item.about}
        if self.files.get(item.path) == file:
            return
        self.files[item.path] = file
        self._unsaved += 1
        if self._unsaved >= FILES_PER_SAVE:
            self.save()

    def save(self) -> None:
        """Write index.json if it has changed. Raise ``EnvironmentFailure`` if it cannot be written."""
        if not self._unsaved:
            return
        files = [self.files[path] for path in sorted(self.files)]
        text = json.dumps({"format": FORMAT, "server": self.server, "files": files}, indent=1)
        write_atomic(self.folder / INDEX, f"{text}\n".encode())
        self._unsaved = 0


def _is_current(known: IndexEntry, item: PullItem) -> bool:
    """Return whether the index has the current metadata of a file, such as the latest count of a fault."""
    return all(known.get(name) == value for name, value in item.about.items())
