"""Boards and positions in frames of other sites, their oEmbed description, and share pictures."""
