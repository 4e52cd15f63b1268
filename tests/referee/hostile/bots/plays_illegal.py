"""Plays a card it does not hold."""

from honest import play, reply, say


def misbehave(request):
    deck = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
    say(reply(request, action=next(card for card in deck if card not in request["observation"]["hand"])))


play(misbehave)
