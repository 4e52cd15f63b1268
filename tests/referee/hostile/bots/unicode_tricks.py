"""Plays cards that look like its own: full width, look-alike letters, invisible marks, half a surrogate."""

from honest import choose, play, reply, say

TRICKS = [
    lambda card: "".join(chr(ord(letter) + 0xFEE0) for letter in card),
    lambda card: card.translate({ord("A"): "\u0410", ord("S"): "\u0405"}) + "\u200b",
    lambda card: card + "\u202e",
    lambda card: "\ud800" + card,
]
turn = 0


def misbehave(request):
    global turn
    say(reply(request, action=TRICKS[turn % 4](choose(request))))
    turn += 1


play(misbehave)
