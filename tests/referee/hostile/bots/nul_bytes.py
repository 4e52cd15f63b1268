"""Puts NUL bytes around its action."""

from honest import choose, play, reply, say

play(lambda request: say(reply(request).replace(choose(request), f"\0{choose(request)}\0")))
