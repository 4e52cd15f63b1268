"""Share pictures: PNG drawn with Pillow, 1200 x 630 pixels in at most 64 colours, about 20 kB.

Names are drawn in the first installed font that has all their characters. Without one, as for Japanese on a
machine without a Japanese font, the line is left out: the description of the shared link has the name.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
MARGIN = 80
PAPER, INK, FADED, LINE, RED = "#f7f3ea", "#211e1a", "#625a4f", "#ded5c4", "#a8321f"
COLOURS = 64
FONT_FILES = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/vlgothic/VL-PGothic-Regular.ttf",
    "/usr/share/fonts/opentype/ipafont-gothic/ipagp.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
)
"""Fonts of Debian's fonts-noto-cjk, fonts-vlgothic, fonts-ipafont-gothic and fonts-dejavu-core."""
TITLE_SIZES = (64, 56, 48, 40, 34, 28)
ROW_SIZES = (36, 30, 24)
SUITS = "SHDC"
_Font = ImageFont.FreeTypeFont


class PictureRow(NamedTuple):
    left: str
    value: str = ""
    """Drawn at the right."""


class PictureHand(NamedTuple):
    seat: str
    cards: Sequence[str]
    """Such as ``TD``; in the order of display."""


def event_picture(title: str, facts: str, rows: Sequence[PictureRow]) -> bytes:
    """Return the picture of a tournament: its name, a line of facts, and its first entries."""
    image, draw = _sheet()
    y = _head(draw, title, facts)
    for row in rows:
        if y > HEIGHT - 70:
            break
        draw.line([(MARGIN, y), (WIDTH - MARGIN, y)], fill=LINE, width=2)
        value_width = 0.0
        if font := _font_for(row.value, ROW_SIZES[0]):
            value_width = font.getlength(row.value)
            draw.text((WIDTH - MARGIN - value_width, y + 12), row.value, font=font, fill=INK)
        _draw_line(draw, (MARGIN, y + 12), row.left, WIDTH - 2 * MARGIN - value_width - 30)
        y += 66
    return _png(image)


def board_picture(title: str, facts: str, hands: Sequence[PictureHand]) -> bytes:
    """Return the picture of a board: its title, a line of facts, and the hands as dealt."""
    image, draw = _sheet()
    y = _head(draw, title, facts)
    height = min(66, (HEIGHT - 50 - y) // max(1, len(hands)))
    size = min(30, height - 14)
    for hand in hands:
        draw.line([(MARGIN, y), (WIDTH - MARGIN, y)], fill=LINE, width=2)
        _draw_line(draw, (MARGIN, y + 8), hand.seat, 150, sizes=(size,), fill=FADED)
        x = float(MARGIN + 170)
        font = _base_font(size)
        for suit in SUITS:
            ranks = "  ".join("10" if card[0] == "T" else card[0] for card in hand.cards if card[1] == suit)
            if not ranks:
                continue
            _suit(draw, suit, x, y + 8 + size * 0.2, size * 0.8)
            draw.text((x + size, y + 8), ranks, font=font, fill=INK)
            x += size * 1.7 + font.getlength(ranks)
        y += height
    return _png(image)


def _sheet() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 0, WIDTH, 10], fill=RED)
    draw.ellipse([MARGIN, 44, MARGIN + 30, 74], fill=INK)
    draw.ellipse([MARGIN + 24, 44, MARGIN + 54, 74], fill=PAPER, outline=INK, width=3)
    draw.text((MARGIN + 70, 38), "Rensho", font=_base_font(34), fill=FADED)
    return image, draw


def _head(draw: ImageDraw.ImageDraw, title: str, facts: str) -> int:
    """Draw title and facts; return the top of what follows."""
    y = 104
    for line, font in _title_lines(title):
        draw.text((MARGIN, y), line, font=font, fill=INK)
        y += round(font.size * 1.25)
    y = max(y + 6, 190)
    _draw_line(draw, (MARGIN, y), facts, WIDTH - 2 * MARGIN, sizes=(30, 26, 22), fill=FADED)
    return y + 58


def _title_lines(title: str) -> list[tuple[str, _Font]]:
    """Return at most two lines, in the largest size in which the title fits; the last may end with a dot."""
    font = None
    for size in TITLE_SIZES:
        font = _font_for(title, size)
        if font is None:
            return []
        lines = _wrapped(title, font, WIDTH - 2 * MARGIN)
        if len(lines) <= (1 if size > 48 else 2):
            return [(line, font) for line in lines]
    assert font is not None
    first, *following = _wrapped(title, font, WIDTH - 2 * MARGIN)
    return [(first, font), (_shortened(" ".join(following), font, WIDTH - 2 * MARGIN), font)]


def _wrapped(text: str, font: _Font, width: float) -> list[str]:
    """Return lines that fit, broken at spaces where possible, else within a word."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if font.getlength(joined) <= width:
            lines[-1] = joined
            continue
        if font.getlength(word) <= width:
            lines.append(word)
            continue
        for character in f" {word}" if lines[-1] else word:
            if font.getlength(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return [line for line in lines if line.strip()]


def _draw_line(
    draw: ImageDraw.ImageDraw,
    corner: tuple[float, float],
    text: str,
    width: float,
    sizes: Sequence[int] = ROW_SIZES,
    fill: str = INK,
) -> None:
    """Draw a line in the largest size in which it fits; in the smallest, it is cut."""
    font = None
    for size in sizes:
        font = _font_for(text, size)
        if font is None:
            return
        if font.getlength(text) <= width:
            break
    assert font is not None
    draw.text(corner, _shortened(text, font, width), font=font, fill=fill)


def _shortened(text: str, font: _Font, width: float) -> str:
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text}..."


# Fonts


def is_drawable(text: str) -> bool:
    """Return whether a font of this machine has all characters of a text."""
    return _font_for(text, ROW_SIZES[0]) is not None


@functools.lru_cache(maxsize=64)
def _fonts(size: int) -> tuple[_Font, ...]:
    return (
        _base_font(size),
        *(ImageFont.truetype(file, size) for file in FONT_FILES if Path(file).is_file()),
    )


@functools.lru_cache(maxsize=64)
def _base_font(size: int) -> _Font:
    """Return the Latin font that Pillow contains."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _font_for(text: str, size: int) -> _Font | None:
    """Return a font that has all characters of a text; None without one, and for an empty text."""
    if not text:
        return None
    fonts = enumerate(_fonts(size))
    return next((font for number, font in fonts if all(_has(number, each) for each in set(text))), None)


@functools.lru_cache(maxsize=20_000)
def _has(font: int, character: str) -> bool:
    """Return whether a font, by its number, has a glyph other than the box of missing ones."""
    if character.isspace():
        return True
    face = _fonts(24)[font]
    return bytes(face.getmask(character)) != bytes(face.getmask("\U0010fffe"))


# Suits, since the Latin font has none


def _suit(draw: ImageDraw.ImageDraw, suit: str, x: float, y: float, size: float) -> None:
    fill = RED if suit in "HD" else INK
    half = size / 2
    if suit == "D":
        points = [(x + half, y), (x + size * 0.9, y + half), (x + half, y + size), (x + size * 0.1, y + half)]
        draw.polygon(points, fill=fill)
        return
    radius = size * 0.26
    circles = {
        "H": [(0.27, 0.3), (0.73, 0.3)],
        "S": [(0.27, 0.58), (0.73, 0.58)],
        "C": [(0.5, 0.27), (0.25, 0.6), (0.75, 0.6)],
    }[suit]
    for cx, cy in circles:
        box = [x + cx * size - radius, y + cy * size - radius, x + cx * size + radius, y + cy * size + radius]
        draw.ellipse(box, fill=fill)
    slope = radius * math.sqrt(0.5)
    if suit == "H":
        left, right, tip = (0.27 * size - slope, 0.73 * size + slope, size)
        top = 0.3 * size + slope
        draw.polygon([(x + left, y + top), (x + right, y + top), (x + half, y + tip)], fill=fill)
        draw.rectangle([x + 0.3 * size, y + 0.3 * size, x + 0.7 * size, y + top], fill=fill)
        return
    if suit == "S":
        left, right, top = (0.27 * size - slope, 0.73 * size + slope, 0.58 * size - slope)
        draw.polygon([(x + left, y + top), (x + right, y + top), (x + half, y)], fill=fill)
    draw.polygon([(x + half, y + half), (x + 0.28 * size, y + size), (x + 0.72 * size, y + size)], fill=fill)


def _png(image: Image.Image) -> bytes:
    packed = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(packed, "PNG", compress_level=6)
    return packed.getvalue()
