import sys

print("ready")
input()
sys.exit(125)
