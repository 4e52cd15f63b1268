"""A replay as one HTML file that works without a server, with style, script, cards and every deal inside."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from analysis.shapes import Notes
from viewer import cards
from viewer.markup import Html, element, joined
from viewer.mat import deck_of
from viewer.panels import help_dialog, live_region
from viewer.position import TablePosition, first_position
from viewer.render import Around, deal_part, position_title, scene_of
from viewer.scene import Name, PositionLinks
from viewer.shapes import View
from viewer.texts import ENGLISH, ViewerTexts

BASE_STYLE = """
:root{--paper:#f7f3ea;--leaf:#fffdf8;--ink:#211e1a;--faded:#625a4f;--line:#ded5c4;--red:#a8321f;--blue:#2b4c76;
--grey-bar:#b3a793;--serif:"Iowan Old Style","Palatino Linotype",Palatino,P052,Georgia,serif;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif}
@media screen and (prefers-color-scheme:dark){:root{--paper:#171512;--leaf:#1f1c18;--ink:#ece6da;
--faded:#aaa092;--line:#38332b;--red:#ec8570;--blue:#9dbce2;--grey-bar:#6b6254}}
*,*::before,*::after{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 var(--sans);overflow-wrap:break-word}
main{max-width:76rem;margin:0 auto;padding:1.25rem}
h1,h2{font-family:var(--serif);font-weight:600;line-height:1.2}
h1{font-size:1.8rem;margin:0 0 1rem}p{margin:0 0 .75rem}
a{color:var(--blue)}table{border-collapse:separate;border-spacing:0}th{font-weight:400;text-align:left}
.n{text-align:right;white-space:nowrap}.small{font-size:.85rem;color:var(--faded)}
:focus-visible{outline:2px solid var(--red);outline-offset:2px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
"""
"""Rules of the site's style sheet that the replay needs."""
STYLE_SHEETS = ("viewer.css", "replay.css")


def replay_page(
    view: View,
    *,
    title: str,
    texts: ViewerTexts = ENGLISH,
    names: Mapping[int, str] | None = None,
    notes: Notes | None = None,
) -> str:
    """Return the whole file, HTML in UTF-8. It makes no requests; ``#b3t7p2`` addresses a position."""
    named = {seat: Name(name) for seat, name in (names or {}).items()}
    around = Around(named, notes, PositionLinks(in_file=True))
    first_place = first_position(view)
    first = scene_of(view, first_place, texts=texts, around=around)
    deals = [
        TablePosition(board["board"], deal["deal"], 0) for board in view["boards"] for deal in board["deals"]
    ]
    templates = []
    for position in deals[1:]:
        scene = scene_of(view, position, texts=texts, around=around)
        templates.append(element("template", {"data-for": scene.stops.keys[0]}, deal_part(scene, around)))
    body = joined(
        [
            element("h1", None, title),
            cards.deck_symbols(deck_of(first.deal), first.court),
            cards.marks(),
            deal_part(first, around),
            live_region(title),
            help_dialog(texts),
            *templates,
        ]
    )
    static = files("viewer") / "static"
    style = BASE_STYLE + "".join((static / name).read_text("utf-8") for name in STYLE_SHEETS)
    script = (static / "replay.js").read_text("utf-8").replace("</", "<\\/")
    head = joined(
        [
            Html(
                '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            ),
            Html('<meta name="color-scheme" content="light dark">'),
            element("title", None, f"{position_title(first)} · {title}"),
            element("style", None, Html(style)),
        ]
    )
    page = element(
        "html",
        {"lang": texts.language},
        element("head", None, head),
        element("body", None, element("main", {"id": "main"}, body), element("script", None, Html(script))),
    )
    return f"<!doctype html>\n{page}\n"
