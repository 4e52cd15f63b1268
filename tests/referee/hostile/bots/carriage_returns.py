"""Ends its lines with carriage return and line feed; harmless, and accepted."""

from honest import play, reply, say

play(lambda request: say(reply(request) + "\r"))
