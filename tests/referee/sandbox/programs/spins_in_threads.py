import threading


def spin():
    while True:
        pass


print("ready")
input()
for _ in range(4):
    threading.Thread(target=spin).start()
