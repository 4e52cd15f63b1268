import os

print("ready")
input()
while True:
    os.write(1, b"x" * 4000)
