"""Thinks forever in four threads while a fifth answers."""

import threading

from honest import play, reply, say


def think():
    while True:
        pass


def misbehave(request):
    for _ in range(4 if threading.active_count() == 1 else 0):
        threading.Thread(target=think, daemon=True).start()
    threading.Event().wait(1)
    say(reply(request))


play(misbehave)
