"""Ends its lines as another system would; harmless, and taken as such."""

from honest import play, reply, say

play(lambda request: say(reply(request) + "\r"))
