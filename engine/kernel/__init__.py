"""Playouts of positions, compiled where that is possible. The engine is what they are tested against."""
