"""Answers a request nobody made."""

from honest import play, reply, say

play(lambda request: say(reply(request, id="0" * 16)))
