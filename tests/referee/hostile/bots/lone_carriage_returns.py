"""Separates two answers by a carriage return alone, to pass two for one line."""

from honest import play, reply, say

play(lambda request: say(reply(request) + "\r" + reply(request)))
