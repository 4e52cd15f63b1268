"""What text cites exists: pages, headings, decisions and vectors."""

import doctest
import subprocess
from pathlib import Path

import pytest

from tests import citations
from tests.citations import ABSENT, dead_citations

ROOT = Path(__file__).resolve().parents[1]


def tracked() -> list[str]:
    """Files of the repository, those about to be added too."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(name for name in set(listed.stdout.split("\0")) if name and (ROOT / name).is_file())


def test_everything_cited_is_there():
    assert [str(dead) for dead in dead_citations(ROOT, tracked())] == []


PAGE = """# Rules of *snap*

## Play
| # | Question |
|---|---|
| D3 | Is it fun? |
| D4 | Again? |

```
## No heading
| D9 | no row |
```

## Play
| T45 | a vector |
"""


@pytest.fixture
def reasons(tmp_path):
    """Why citations in a file of this name are dead, where ``docs/rules/snap.md`` is ``PAGE``."""
    page = tmp_path / "docs" / "rules" / "snap.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE)

    def reasons_of(text: str, name: str = "code.py") -> list[str]:
        (tmp_path / name).write_text(text)
        return [f"{dead.line} {dead.text}: {dead.reason}" for dead in dead_citations(tmp_path, [name])]

    return reasons_of


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("See docs/rules/whist.md.", "1 docs/rules/whist.md: no such page"),
        ("docs/rules/snap.md#pay", "1 docs/rules/snap.md#pay: no such heading"),
        ("docs/rules/snap.md#no-heading", "1 docs/rules/snap.md#no-heading: no such heading"),
        ("docs/rules/snap.md#play-2", "1 docs/rules/snap.md#play-2: no such heading"),
        ("\ndocs/rules/snap.md#play,\n    #pay.", "2 docs/rules/snap.md#pay: no such heading"),
        ("# docs/rules/snap.md#play, D3,\n# D9.", "1 docs/rules/snap.md, D9: no such row"),
        ("docs/rules/snap.md#play, D3-D5", "1 docs/rules/snap.md, D5: no such row"),
        ("docs/rules/snap.md T46", "1 docs/rules/snap.md, T46: no such row"),
        ("docs/rules/snap.md\n\ndef test_T46_ends(): ...", "3 T46: no such row in docs/rules/snap.md"),
        *((f"\nAs {name} says.", f"2 {name}: is not part of the repository") for name in ABSENT),
    ],
)
def test_dead_citations_are_found(reasons, text, reason):
    assert reason in reasons(text)


def test_the_examples_of_the_reader_hold():
    results = doctest.testmod(citations)
    assert (results.failed, results.attempted > 0) == (0, True)
