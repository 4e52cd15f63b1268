import os
import signal

print("ready")
input()
os.kill(os.getpid(), signal.SIGSTOP)
print("answer")
