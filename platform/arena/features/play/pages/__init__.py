"""The pages of play: a person at a table with bots, from the choice to the hands at the end."""
