"""Answers with an empty line."""

from honest import play, say

play(lambda request: say(""))
