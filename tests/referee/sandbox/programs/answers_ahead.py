import os

print("ready")
input()
os.write(1, b"one\ntwo\nthree\n")
while True:
    input()
