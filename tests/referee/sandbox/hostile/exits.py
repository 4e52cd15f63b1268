print("ready")
input()
