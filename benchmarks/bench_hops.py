"""Number of our modules that a request enters with empty caches.

    python benchmarks/bench_hops.py [--bots 16] [--fixtures 60] [--list] [--json]

Fills a temporary database with ``benchmarks.seeding`` and takes its largest finished event. Each request
is sent once, which imports what it needs; then all caches of the process are emptied, and the request is
sent again under a profiler. The figures are the files under ``platform``, ``engine`` and ``bots`` of
which a function is called before the answer is complete, the number of such files with more than 300
lines of code, and the functions. ``--list`` prints the files.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import zipfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.harness import ROOT, Row, arguments, caches_clear, installation, report, seed

FOLDERS = tuple(f"{ROOT / name}/" for name in ("platform", "engine", "bots"))
LONG = 300
"""Lines of code above which a file is long, without docstrings and comments."""
CalledFunctions = dict[Path, set[str]]
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def called_functions(send: Callable[[], int]) -> CalledFunctions:
    called: CalledFunctions = defaultdict(set)

    def profile(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(FOLDERS):
            called[Path(name)].add(frame.f_code.co_qualname)

    sys.setprofile(profile)
    try:
        status = send()
    finally:
        sys.setprofile(None)
    assert 200 <= status < 400, status
    return called


def code_lines(path: Path) -> int:
    source = path.read_text()
    documented: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                documented.update(range(node.lineno, (node.end_lineno or 0) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def archive(number: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("rensho.toml", 'name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n')
        file.writestr("main.py", f"print({number})\n")
    return packed.getvalue()


def requests() -> dict[str, Callable[[], int]]:
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.db.models import Count
    from django.test import Client

    from arena.accounts.services import token_create
    from arena.competition.models import Tournament
    from arena.roster.models import Bot

    event = (
        Tournament.objects.filter(state="final", visibility="public", kind="tournament")
        .annotate(size=Count("fixtures"))
        .order_by("-size", "pk")[0]
    )
    bot = Bot.objects.filter(owner__user__isnull=False, game="kakeya").order_by("pk")[0]
    owner = bot.owner.user
    assert owner is not None
    token = token_create(owner, name="hops", scopes=["read", "bots"], actor=owner)[1]
    reader, author = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
    program = Client(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Bearer {token}")
    author.force_login(owner)
    numbers = iter(range(1, 100))

    def bundle() -> SimpleUploadedFile:
        return SimpleUploadedFile("kita.zip", archive(next(numbers)))

    def form() -> dict[str, Any]:
        page = author.get(f"/bots/{bot.public_id}/submit").content.decode()
        once = page.partition('name="once" value="')[2].partition('"')[0]
        return {"bundle": bundle(), "notes": "", "once": once}

    forms = [form(), form()]
    api = f"/api/v1/tournaments/{event.public_id}"
    versions = f"/api/v1/bots/{bot.public_id}/versions"
    return {
        "event page": lambda: reader.get(f"/tournaments/{event.public_id}").status_code,
        "upload, page": lambda: author.post(f"/bots/{bot.public_id}/submit", forms.pop()).status_code,
        "upload, API": lambda: program.post(versions, {"bundle": bundle()}).status_code,
        "/play": lambda: reader.get("/play").status_code,
        "standings API": lambda: program.get(f"{api}/standings").status_code,
        "event API": lambda: program.get(api).status_code,
    }


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--bots", type=int, default=16)
    parser.add_argument("--fixtures", type=int, default=60)
    parser.add_argument("--list", action="store_true", help="print the files of each request")
    options = parser.parse_args()
    rows = []
    with installation():
        seed(options.bots, options.fixtures)
        for name, send in requests().items():
            send()
            caches_clear(functions=True)
            called = called_functions(send)
            long = [path for path in called if code_lines(path) > LONG]
            cells: dict[str, float | str] = {
                "files": len(called),
                f"over {LONG} lines": len(long),
                "functions": sum(map(len, called.values())),
            }
            rows.append(Row(name, cells))
            if options.list:
                print(name, *sorted(str(path.relative_to(ROOT)) for path in called), sep="\n  ")
    return report("files entered by a cold request", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
