"""``rensho api METHOD PATH [FIELD=VALUE ...]``: send any request to the API."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from bots.kit.client import Client
from bots.kit.client.address import API
from bots.kit.client.errors import Refused, ServerUnavailable
from bots.kit.client.transport import MAX_ANSWER_BYTES, Download
from bots.kit.display.console import print_json, print_log, print_note, progress_bar
from bots.kit.display.output import write_stdout
from bots.kit.errors import DONE, InvalidInput
from bots.kit.files import open_atomic
from bots.kit.server.account import connect
from bots.kit.server.api_fields import (
    FIELD_HELP,
    RequestFields,
    query_parameters,
    request_body,
    select_fields,
)
from bots.kit.subcommands import Commands
from engine.refusals import quoted

METHODS = ("GET", "POST", "PATCH", "DELETE")
WITH_BODY = ("POST", "PATCH")
JSON_TYPE = "application/json"
STREAM_TYPE = "text/event-stream"
TEXT_TYPES = ("text/", "application/x-ndjson")
"""Media types that may be printed on a terminal."""
EPILOG = """\
Examples:
  rensho api GET tournaments state=running --all --fields id,name
  rensho api POST bots name=kita game=kakeya
  rensho api PATCH tournaments/7k2mq9xw4trb max_entries:=32
  rensho api POST tournaments/7k2mq9xw4trb/start dry_run==true
  rensho api GET tables/3pu9s9f8jzhv/record --output table.ndjson
"""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "api",
        help="send any request to the API of the server",
        description="Send a request to the API of the server, with the token of the login. JSON is printed "
        "on standard output; other responses are written unchanged.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    help_text = f"one of {', '.join(METHODS)}"
    parser.add_argument("method", metavar="METHOD", type=str.upper, choices=METHODS, help=help_text)
    parser.add_argument("path", metavar="PATH", help=f"path below {API}, such as tournaments")
    parser.add_argument("given", metavar="FIELD=VALUE", nargs="*", default=[], help=FIELD_HELP)
    help_text = "JSON object to send as the body, - for standard input; fields override it"
    parser.add_argument("--input", metavar="FILE", help=help_text)
    help_text = "fetch all pages of a list and print one JSON object per line"
    parser.add_argument("--all", action="store_true", help=help_text)
    help_text = "print only these fields of the response or of each row, such as id,version.bot"
    parser.add_argument("--fields", metavar="NAMES", default="", help=help_text)
    help_text = "save the response unchanged in this file"
    parser.add_argument("--output", metavar="FILE", type=Path, help=help_text)
    help_text = "Idempotency-Key of a POST (a random one)"
    parser.add_argument("--key", metavar="KEY", default="", help=help_text)
    parser.set_defaults(command=_api)


def _api(arguments: argparse.Namespace) -> int:
    method: str = arguments.method
    _check_options(arguments)
    with connect(needs_account=False) as client:
        path, path_query = path_of(arguments.path, client.url)
        given = RequestFields(arguments.given, is_query=method not in WITH_BODY)
        query = query_parameters([*path_query, *given.query])
        names = [name.split(".") for name in arguments.fields.split(",")] if arguments.fields else []
        try:
            if arguments.all:
                for row in _rows(client, path, query):
                    print_json(select_fields(row, names), indent=None)
                return DONE
            body = request_body(given, arguments.input) if method in WITH_BODY else None
            _send(client, arguments, path, query, body, names)
        except Refused as refusal:
            # The code is what a program looks at; sentences of the kit name options of other commands.
            if not refusal.http_status or refusal.http_status == 401:
                raise
            raise InvalidInput(f"{refusal} ({refusal.code}, {refusal.http_status})") from None
    return DONE


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.all and (arguments.method != "GET" or arguments.output):
        raise InvalidInput("--all fetches the pages of a list: use it only with GET and without --output")
    if arguments.fields and arguments.output:
        raise InvalidInput("--output saves the response unchanged: omit --fields, or redirect the output")
    if arguments.fields and not all(all(name.split(".")) for name in arguments.fields.split(",")):
        raise InvalidInput(f"--fields {quoted(arguments.fields)}: write names such as id,version.bot")
    if arguments.input and arguments.method not in WITH_BODY:
        raise InvalidInput(f"--input: a {arguments.method} request has no body; use POST or PATCH")
    if arguments.key and arguments.method != "POST":
        raise InvalidInput(f"--key: only POST accepts an Idempotency-Key, not {arguments.method}")
    if arguments.key and not (arguments.key.isascii() and arguments.key.isprintable()):
        raise InvalidInput(f"--key {quoted(arguments.key)}: use printable ASCII characters")
    if arguments.output is not None and arguments.output.is_dir():
        raise InvalidInput(f"{arguments.output} is a folder: name a file in it")


def path_of(text: str, url: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the path below the API root and its query parameters, or raise ``InvalidInput``."""
    relative = text.removeprefix(f"{url}/")
    relative = (
        relative if relative.startswith("//") else relative.removeprefix("/").removeprefix(API[1:] + "/")
    )
    try:
        parts = urlsplit(relative)
        has_host = bool(parts.scheme or parts.netloc)
    except ValueError:
        has_host = True
    if has_host:
        raise InvalidInput(f"{quoted(text)} is not on {url}: name a path below {API}, such as tournaments")
    steps = parts.path.removesuffix("/").split("/")
    is_plain = relative.isprintable() and not any(sign in relative for sign in " \\#")
    if not is_plain or any(unquote(step) in ("", ".", "..") for step in steps):
        raise InvalidInput(f"{quoted(text)} is not a path of the API: write for example tournaments/7k2mq9")
    return "/".join(steps), parse_qsl(parts.query, keep_blank_values=True)


def _rows(client: Client, path: str, query: Mapping[str, list[str]]) -> Iterator[Any]:
    """Yield the rows of a paginated list, or raise ``InvalidInput``."""
    for page in client.pages(path, query):
        if not _is_page(page):
            raise InvalidInput(f"{quoted(path)} is not a paginated list: omit --all")
        yield from page["results"]


def _is_page(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("results"), list) and "next" in value


def _send(
    client: Client,
    arguments: argparse.Namespace,
    path: str,
    query: Mapping[str, list[str]],
    body: Mapping[str, Any] | None,
    names: list[list[str]],
) -> None:
    with client.send(arguments.method, path, query=query, body=body, key=arguments.key) as answer:
        if answer.kind == STREAM_TYPE:
            raise InvalidInput(f"{quoted(path)} is a stream of events: follow a tournament with rensho watch")
        if arguments.output is not None:
            _save(answer, arguments.output)
        elif answer.kind == JSON_TYPE:
            value = _json(client, answer, path)
            if _is_page(value):
                value = {**value, "results": [select_fields(row, names) for row in value["results"]]}
            else:
                value = select_fields(value, names)
            print_json(value)
            _note_further_pages(value)
        elif names:
            raise InvalidInput(
                f"--fields: the response of {quoted(path)} is {answer.kind or 'empty'}, not JSON"
            )
        else:
            _write(answer, path)


def _note_further_pages(value: Any) -> None:
    if _is_page(value) and value["next"]:
        print_note("there are more pages: add --all")
    if isinstance(value, Mapping) and value.get("next_first"):
        print_note(f"there are more rows: add first={value['next_first']}")


def _save(answer: Download, path: Path) -> None:
    with open_atomic(path) as file, progress_bar(str(path), answer.length_bytes) as advance:
        for chunk in answer.chunks:
            file.write(chunk)
            advance(len(chunk))


def _write(answer: Download, path: str) -> None:
    """Write an answer that is not JSON to standard output, escaped on a terminal, which must get text."""
    if not sys.stdout.isatty():
        write_stdout(answer.chunks)
    elif not answer.kind or answer.kind.startswith(TEXT_TYPES):
        print_log(_read_all(answer, path).decode("utf-8", "replace"))
    else:
        raise InvalidInput(
            f"the response of {quoted(path)} is {quoted(answer.kind)}: save it with --output FILE"
        )


def _read_all(answer: Download, path: str) -> bytes:
    """Return the complete body of an answer, or raise ``InvalidInput`` if it is too long to print."""
    data = bytearray()
    for chunk in answer.chunks:
        data += chunk
        if len(data) > MAX_ANSWER_BYTES:
            raise InvalidInput(
                f"{quoted(path)} is larger than {MAX_ANSWER_BYTES >> 20} MiB: save it with --output FILE"
            )
    return bytes(data)


def _json(client: Client, answer: Download, path: str) -> Any:
    try:
        return json.loads(_read_all(answer, path))
    except (ValueError, RecursionError):
        raise ServerUnavailable(f"{client.url} did not respond with JSON: check the address") from None
