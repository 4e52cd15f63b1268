"""Gives probabilities for three hundred unknown actions."""

from honest import play, reply, say

play(lambda request: say(reply(request, policy={f"{n}": 0 for n in range(300)}).replace(" ", "")))
