"""Frames, oEmbed and share pictures."""
