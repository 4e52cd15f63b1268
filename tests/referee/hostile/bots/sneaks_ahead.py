"""Answers, and lets a thread write the beginning of the next answer in the moment before all are stopped."""

import os
import threading

from honest import play, reply

answered = threading.Event()
ahead = []


def sneak():
    while True:
        if answered.is_set():
            answered.clear()
            os.write(1, b"{")
            ahead.append(True)


def misbehave(request):
    if threading.active_count() == 1:
        threading.Thread(target=sneak, daemon=True).start()
    answer = reply(request) + "\n"
    if ahead:
        ahead.clear()
        answer = answer[1:]
    answered.set()
    os.write(1, answer.encode())


play(misbehave)
