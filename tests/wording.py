"""Count wording that plain technical English does not use: in code, documents and pages, by folder.

``python -m tests.wording`` lists the hits and lowers the numbers of ``wording.toml``, which may only fall.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELD = Path(__file__).with_name("wording.toml")
KINDS = {
    "person": r"\b(?:[Ww]ho(?:m|s)?ever|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b|(?<!`)\b[Nn]obody\b(?!`)",
    "what": r"(?:^|[.;:] )(?:[Ww]hat|[Ww]ho|[Ww]hose) (?!(?:is|are|was) (?:it|this)\b)\w+",
    "telling": r"\b(?:is|are|was|were|be|been|being) (?:told|asked|said|heard|looked at|taken for|meant)\b",
    "that-of": r"\b(?:is|are|as|than|by|to|with|from|in|of|and|or|,) (?:that|those) of\b",
    "caption": r"^(?:So (?:long|many|much|often|few)|Nor |No more|(?:At most|After) so|As many as)\b",
    "inversion": r"(?:^|[.;] )(?:Beside|(?:Of|To|In|From|With) (?:it|them)|Of (?:these|those|which)) \w+ ",
    "old": r"\b(?:anew|thereby|therein|wherein|whereby|stands? beside|in vain|goes? on|lest|as it were)\b",
}
"""Regular expressions of wording, by kind. CONTRIBUTING.md says what to write instead."""
NAMES = frozenset(
    {
        *(
            "found",
            "one",
            "told",
            "asked",
            "said",
            "seen",
            "wanted",
            "what",
            "words",
            "place",
            "made",
            "shown",
        ),
        *("kept", "held", "took", "gone", "lost", "mine", "theirs", "rest", "others", "such", "then", "at"),
    }
)
"""Names of variables and parameters that do not say what they hold."""
ODD_NAME = re.compile(
    r"_(?:told|kept|shown|asked|said|seen|gone|spelt|heard|lost|wanted|held|taken)(?:_|$)|whats?_"
)
"""Names of functions and classes that a search for the usual term does not find."""
FOLDERS = ("benchmarks", "bots", "deploy", "docs", "engine", "examples", "platform")
GENERATED = ("CHANGELOG", "bots/kit/client/shapes")
DEEP = ("platform/arena/features", "platform/arena/web", "platform/arena", "platform")
"""Folders whose subfolders are counted separately, deepest first."""
MARKED = re.compile(r"{% translate \"([^\"]+)\"|{% blocktranslate[^%]*%}(.*?){% endblocktranslate", re.DOTALL)
GETTEXT = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext"}


def folder_of(path: Path) -> str:
    """Return the folder under which a file is counted; ``.`` for the root.

    >>> folder_of(Path("platform/arena/web/base/labels.py")), folder_of(Path("docs/rules/etori.md"))
    ('platform/arena/web/base', 'docs')
    """
    parts = path.parts
    for deep in DEEP:
        depth = deep.count("/") + 1
        if path.as_posix().startswith(f"{deep}/") and len(parts) > depth + 1:
            return "/".join(parts[: depth + 1])
    return parts[0] if len(parts) > 1 else "."


def files() -> Iterator[Path]:
    for path in sorted(
        [*ROOT.glob("*"), *(path for folder in FOLDERS for path in ROOT.glob(f"{folder}/**/*"))]
    ):
        name = path.relative_to(ROOT)
        is_page = path.suffix in {".html", ".txt"} and "templates" in path.parts
        if (is_page or path.suffix in {".py", ".md"}) and not name.as_posix().startswith(GENERATED):
            yield name


def python_texts(tree: ast.AST, source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of docstrings, captions, messages marked for translation, and comments."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
            case ast.Call(func=ast.Name(id=name), args=args) if name in GETTEXT:
                for arg in args:
                    if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
                        yield arg.lineno, arg.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def texts(path: Path, source: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of all prose of a file; ``tree`` is of a Python module, otherwise empty."""
    if path.suffix == ".py":
        yield from python_texts(tree, source)
    elif path.suffix == ".md":
        for number, line in enumerate(source.split("\n"), 1):
            if not line.startswith(("    ", "```", "|")):
                yield number, line
    else:
        for marked in MARKED.finditer(source):
            yield source.count("\n", 0, marked.start()) + 1, marked[1] or marked[2]


def odd_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name; fields of classes are not counted."""
    fields = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    }
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if ODD_NAME.search(name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) if name in NAMES and id(node) not in fields:
                yield node.lineno, name
            case ast.arg(arg=name) if name in NAMES:
                yield node.lineno, name


def hits_of(path: Path) -> Iterator[str]:
    """Yield each hit of a file: line, kind and its surroundings."""
    source = (ROOT / path).read_text(encoding="utf-8")
    tree = ast.parse(source if path.suffix == ".py" else "")
    for line, text in texts(path, source, tree):
        joined = re.sub(r"(?<=[\w,;])\n[ \t]*(?=\w)", " ", text)
        for kind, pattern in KINDS.items():
            for match in re.finditer(pattern, joined, re.MULTILINE):
                around = " ".join(joined[max(0, match.start() - 40) : match.end() + 60].split())
                yield f"{path}:{line} {kind}: {around}"
    for line, name in odd_names(tree):
        yield f"{path}:{line} name: {name}"


def hits_by_folder() -> dict[str, list[str]]:
    hits = defaultdict(list)
    for path in files():
        hits[folder_of(path)] += hits_of(path)
    return dict(sorted(hits.items()))


def held() -> dict[str, int]:
    """Return the most hits allowed, by folder."""
    return tomllib.loads(HELD.read_text())


def main() -> int:
    allowed = Counter(held()) if HELD.exists() else None
    hits = hits_by_folder()
    for folder, found in hits.items():
        for hit in found if allowed is None or len(found) > allowed[folder] else ():
            sys.stdout.write(f"{hit}\n")
    counts = {f: len(h) if allowed is None else min(len(h), allowed[f]) for f, h in hits.items()}
    lines = [f'"{folder}" = {count}\n' for folder, count in counts.items() if count]
    HELD.write_text("# Hits by folder. They may only fall: python -m tests.wording\n" + "".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
