"""``python -m tests.browser.share_pictures``: draws the pictures that links show where they are shared.

One for each kind of page, with the cards, crests and colours of the pages: ``static/web/share-KIND.png``.
They are the same for every page of a kind, so that nothing of a deal or a result stands on them. Run it when
the drawings of cards change, look at the pictures, and commit them.
"""

from __future__ import annotations

from pathlib import Path

from tests.browser import chrome
from viewer import cards

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "platform/arena/web/static/web"
WIDTH, HEIGHT = 1200, 630
LINE = "Everyone plays the same cards"
TRICK = (("JS", 554, 76), ("KS", 668, 176), ("8S", 554, 276), ("5S", 440, 176))
"""Cards of a trick, and where they lie: above, at the right, below, at the left."""
HANDS = (("KQT8", "S", 494, 66), ("A974", "H", 746, 176), ("QJ63", "D", 494, 286), ("K852", "C", 242, 176))
"""Four hands round a table: ranks, suit, place."""
FIELD = ((250, 96, "A"), (190, 56, "B"), (150, -24, "C"), (120, -70, "D"))
"""Lines of a table: length of the name, stones, crest."""
COURTS = ("KH", "QS", "JD", "AC")
STYLE = """
body { margin: 0; }
svg.picture { display: block; font-family: P052, Palatino, "Palatino Linotype", Georgia, serif; }
"""


def hand(ranks: str, suit: str, x: int, y: int, width: int = 80) -> str:
    """A fan of cards of a suit."""
    return "".join(card(rank + suit, x + at * width * 0.55, y, width) for at, rank in enumerate(ranks))


def card(code: str, x: float, y: float, width: int = 92) -> str:
    """One card, its upper left corner at (x, y)."""
    colour = "card-h" if code[1] in "HD" else "card-s"
    place = f'x="{x}" y="{y}" width="{width}" height="{width * 10 // 7}"'
    return f'<svg class="card-face {colour}" {place}><use href="#c-{code}"/></svg>'


def crest(letter: str, x: float, y: float, size: int = 44) -> str:
    """The mark of a side."""
    place = f'x="{x}" y="{y}" width="{size}" height="{size}"'
    return f'<svg class="crest crest-{letter.lower()}" {place}><use href="#m-{letter}"/></svg>'


def of_site() -> str:
    """The mark of the site, a card and two stones."""
    return (
        '<g transform="translate(468 70) scale(8.4)">'
        '<rect x="7" y="2.5" width="17" height="24" rx="2.6" transform="rotate(-9 15.5 14.5)" fill="#fffdf7"'
        ' stroke="#a8321f" stroke-width="1.4"/><circle cx="12" cy="8.6" r="1.7" fill="#a8321f"/>'
        '<circle cx="15.5" cy="22.5" r="6" fill="#211e1a"/>'
        '<circle cx="24" cy="22.5" r="6" fill="#fffdf7" stroke="#211e1a" stroke-width="1"/></g>'
    )


def of_event() -> str:
    """The standings of an event: crests, and how far each is ahead or behind."""
    rows = []
    for at, (length, stones, letter) in enumerate(FIELD):
        y = 84 + at * 80
        colour, start = ("#5b7da8", 760) if stones > 0 else ("#b3a793", 760 + 2 * stones)
        rows += [
            crest(letter, 280, y),
            f'<rect x="344" y="{y + 14}" width="{length}" height="16" rx="8" fill="#211e1a"/>',
            f'<rect x="{start}" y="{y + 8}" width="{2 * abs(stones)}" height="28" fill="{colour}"/>',
            f'<line x1="280" x2="952" y1="{y + 62}" y2="{y + 62}" stroke="#b9b496" stroke-width="2"/>',
        ]
    return "".join([*rows, '<line x1="760" x2="760" y1="72" y2="390" stroke="#625a4f" stroke-width="3"/>'])


def of_table() -> str:
    """A trick on the mat, the winner so far underlined."""
    trick = "".join(card(code, x, y) for code, x, y in TRICK)
    return trick + '<rect x="668" y="316" width="92" height="8" rx="4" fill="#211e1a"/>'


def of_board() -> str:
    """One deal: four hands round the table."""
    hands = "".join(hand(*held) for held in HANDS)
    return hands + '<g fill="none" stroke="#8a8468" stroke-width="3"><circle cx="600" cy="232" r="34"/></g>'


def of_bot() -> str:
    """Figures with their intervals, on an axis."""
    marks = [(780, 90, "A"), (690, 120, "B"), (600, 70, "C"), (470, 150, "D")]
    rows = [
        f'<line x1="{x - half}" x2="{x + half}" y1="{106 + at * 80}" y2="{106 + at * 80}" stroke="#5b7da8"'
        f' stroke-width="10" stroke-linecap="round"/>{crest(letter, x - 26, 80 + at * 80, 52)}'
        for at, (x, half, letter) in enumerate(marks)
    ]
    axis = (
        '<line x1="560" x2="560" y1="66" y2="386" stroke="#625a4f" stroke-width="3" stroke-dasharray="2 8"/>'
    )
    return axis + "".join(rows)


def of_rules() -> str:
    """Pictures of the game, fanned out."""
    fan = [
        f'<g transform="rotate({-18 + at * 12} 600 620)">{card(code, 522, 110, 156)}</g>'
        for at, code in enumerate(COURTS)
    ]
    return "".join(fan)


KINDS = {
    "site": of_site,
    "event": of_event,
    "table": of_table,
    "board": of_board,
    "bot": of_bot,
    "rules": of_rules,
}


def picture(drawing: str) -> str:
    """A drawing on the mat, between its borders, with the name of the site below."""
    codes = [code for code, _, _ in TRICK] + [rank + suit for ranks, suit, _, _ in HANDS for rank in ranks]
    symbols = cards.symbols([*codes, *COURTS]) + cards.marks()
    css = (ROOT / "platform/viewer/static/viewer.css").read_text()
    return (
        f"<!doctype html><meta charset=utf-8><style>{css}{STYLE}</style>{symbols}"
        f'<svg class="picture" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"><defs>'
        '<pattern id="weave" width="8" height="6" patternUnits="userSpaceOnUse">'
        '<rect width="8" height="6" fill="#e9e7d3"/><rect width="8" height="3" fill="#e4e1ca"/></pattern>'
        '<pattern id="fleck" width="44" height="44" patternUnits="userSpaceOnUse">'
        '<rect width="44" height="44" fill="#34405a"/><circle cx="22" cy="22" r="4.5" fill="#7384a6"/>'
        '</pattern></defs><rect width="1200" height="630" fill="url(#weave)"/>'
        '<rect width="1200" height="44" fill="url(#fleck)"/>'
        '<g transform="translate(0 586)"><rect width="1200" height="44" fill="url(#fleck)"/></g>'
        f'{drawing}<g fill="#211e1a" text-anchor="middle">'
        '<text x="600" y="490" font-size="72" font-weight="600">Rensho</text>'
        f'<text x="600" y="550" font-size="36" fill="#625a4f">{LINE}</text></g></svg>'
    )


def main() -> None:
    """Draw them all."""
    with chrome.running() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        for kind, drawing in KINDS.items():
            page.set_content(picture(drawing()))
            page.screenshot(path=FOLDER / f"share-{kind}.png")


if __name__ == "__main__":
    main()
