"""Answers with text that is not JSON."""

from honest import play, say

play(lambda request: say("the seven, please"))
