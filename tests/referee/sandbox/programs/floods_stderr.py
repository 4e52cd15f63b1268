import os

print("ready")
input()
while True:
    os.write(2, b"complaint\n" * 4000)
