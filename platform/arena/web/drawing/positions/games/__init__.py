"""Positions of single games: each module here is named as a game's key and exports a ``PRESENTER``.

``arena.web.drawing.positions`` finds them; a game without one is shown field by field.
"""
