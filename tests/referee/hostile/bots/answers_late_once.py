"""Misses one request and answers it while the next is waiting, then that one."""

from honest import play, reply, say

late = []


def misbehave(request):
    if late:
        say(late[0])
        say(reply(request))
    else:
        late.append(reply(request))


play(misbehave, times=2)
