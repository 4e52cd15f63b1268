import os

print("ready")
input()
os.write(1, b"caf\xe9\n")
