import sys

print("ready")
input()
print("thinking aloud", file=sys.stderr)
raise ValueError("wrong turn")
