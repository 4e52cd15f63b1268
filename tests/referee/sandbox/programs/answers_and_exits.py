print("ready")
input()
print("last words")
