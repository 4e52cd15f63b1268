print("ready")
input()
print("x" * 4096)
