"""Pages of play: choosing a table, playing, and the open hands after the end."""
