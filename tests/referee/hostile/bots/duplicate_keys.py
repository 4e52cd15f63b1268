"""Gives two actions in one answer, in case the check and the play read different ones."""

from honest import choose, play, say


def misbehave(request):
    say(f'{{"id":"{request["id"]}","action":"{choose(request)}","action":"{request["legal"][-1]}"}}')


play(misbehave)
