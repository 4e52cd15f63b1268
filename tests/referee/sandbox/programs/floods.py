import os

print("ready")
input()
while True:
    os.write(1, b"spam\n" * 12000)
