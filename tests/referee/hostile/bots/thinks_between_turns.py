"""Goes on thinking in a thread after each answer, during other bots' turns."""

import threading

from honest import play, reply, say


def think():
    while True:
        pass


def misbehave(request):
    if threading.active_count() == 1:
        threading.Thread(target=think, daemon=True).start()
    say(reply(request))


play(misbehave)
