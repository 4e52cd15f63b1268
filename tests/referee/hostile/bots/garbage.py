"""Answers in words."""

from honest import play, say

play(lambda request: say("the seven, please"))
