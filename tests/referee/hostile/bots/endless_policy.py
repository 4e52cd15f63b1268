"""Gives a probability to three hundred actions nobody has heard of."""

from honest import play, reply, say

play(lambda request: say(reply(request, policy={f"{n}": 0 for n in range(300)}).replace(" ", "")))
