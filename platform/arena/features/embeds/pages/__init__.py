"""Pages of embeds."""
