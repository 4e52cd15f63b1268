"""Answers with the id of a request that was never made."""

from honest import play, reply, say

play(lambda request: say(reply(request, id="0" * 16)))
